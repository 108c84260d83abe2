# `make deb` mends the Installed-Size of CPack, which counts what symbolic links lead to.
command -v dpkg-deb >/dev/null || { echo "no dpkg-deb"; exit 77; }

umask 022
mkdir -p tree/DEBIAN tree/usr/bin
head -c 100000 /dev/zero >tree/usr/bin/program # 98 KiB
for name in a b c; do
	ln -s program tree/usr/bin/$name
done
ln tree/usr/bin/program tree/usr/bin/same
ln -s "$BUILD/memlamp" tree/usr/bin/elsewhere
cat >tree/DEBIAN/control <<'END'
Package: sized
Version: 1
Architecture: all
Maintainer: nobody <nobody@localhost>
Installed-Size: 99999
Description: a file, a hard link, four symbolic links and two folders
END
dpkg-deb -b tree sized.deb >/dev/null
"$SRC/tools/deb_size" sized.deb
echo "Installed-Size: $(dpkg-deb -f sized.deb Installed-Size)"
dpkg-deb -c sized.deb | awk '{ print $1, $2, $6 }'
