# The version, with the commit that the program was built from where that is known.
cmake --version >/dev/null 2>&1 || { echo "no cmake"; exit 77; }
git --version >/dev/null 2>&1 || { echo "no git"; exit 77; }

memlamp --version | sed 's/ ([0-9a-f]\{7,40\}\(-dirty\)\{0,1\})$//'

# The header that the build makes, without its hash.
header() {
	cmake -DSOURCE="$PWD/$1" -DHEADER="$PWD/commit.h" -P "$SRC/cmake/commit.cmake" &&
		sed 's/"[0-9a-f]\{7,40\}/"HASH/' commit.h
}
commit() {
	git -C checkout -c user.name=x -c user.email=x@example.org commit -q "$@"
}

mkdir -p checkout/tarball
echo "a folder without .git:"
header checkout
git init -q checkout
echo "a checkout without a commit:"
header checkout
echo one >checkout/file
git -C checkout add file
commit -m one
echo "a checkout, also one with a tag:"
header checkout
git -C checkout tag v9
header checkout
cp commit.h first.h
echo two >checkout/file
echo "a changed file:"
header checkout
commit -am two
header checkout
cmp -s first.h commit.h && echo "another commit has the same header"
echo "a tarball within a checkout:"
header checkout/tarball

# A header that is right stays as old as it is: nothing is compiled again.
header checkout >/dev/null
touch -d 2001-01-01 commit.h
header checkout >/dev/null
date -r commit.h +%Y
