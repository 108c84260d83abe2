// Numbers of objects, for the keys of pictures that are kept: an answer of the server is not
// changed once it is there, so the same object makes the same picture.
const numbers = new WeakMap<object, number>();
let last = 0;

/** A number that no other object has; 0 is that of null. */
export function identity(o: object | null | undefined): number {
	if (!o) return 0;
	const known = numbers.get(o);

	if (known) return known;
	numbers.set(o, ++last);
	return last;
}
