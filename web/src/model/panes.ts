// How wide the panes beside the view are. In a small window they give way before the view
// does: first they become narrower, then they fold to a bar, the left one first.

export const FOLDED = 22; // pixels of a folded pane
const VIEW = 480; // that a view needs
const LEAST = { left: 300, right: 240 };

export interface Panes {
	left: number; // 0: there is no such pane
	right: number;
}

/** The widths in a window; a pane of FOLDED pixels is folded. `open`: these are not. */
export function fitPanes(
	width: number,
	wanted: Panes,
	open: { left: boolean; right: boolean } = { left: false, right: false },
): Panes {
	let { left, right } = wanted;
	const lacks = () => VIEW - (width - left - right);
	const narrow = (now: number, least: number) =>
		Math.max(Math.min(now, least), now - Math.max(0, lacks()));

	left = narrow(left, LEAST.left);
	right = narrow(right, LEAST.right);
	if (lacks() > 0 && left && !open.left) {
		left = FOLDED;
		right = wanted.right;
		right = narrow(right, LEAST.right);
	}
	if (lacks() > 0 && right && !open.right) right = FOLDED;
	return { left, right };
}
