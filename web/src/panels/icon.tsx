// Small pictures of the page's own, 16 x 16, in the colour of the text around them.

const paths = {
	lamp: "M5.5 2h5l2.2 6H3.3L5.5 2zM8 8v5M5 14h6M8 8v1.5",
	search: "M7 12A5 5 0 1 0 7 2a5 5 0 0 0 0 10zM10.8 10.8 14 14",
	play: "M4.5 2.5v11l9-5.5z",
	backwards: "M11.5 2.5v11l-9-5.5z",
	pause: "M5 3v10M11 3v10",
	next: "M4 3v10l6-5zM12.5 3v10",
	previous: "M12 3v10L6 8zM3.5 3v10",
	first: "M13 3v10L8 8zM8 3v10L3 8z",
	loop: "M3 8a5 5 0 0 1 8.5-3.5L13 6M13 3v3h-3M13 8a5 5 0 0 1-8.5 3.5L3 10M3 13v-3h3",
	undo: "M6 4 3 7l3 3M3 7h6.5a3.5 3.5 0 0 1 0 7H7",
	redo: "m10 4 3 3-3 3M13 7H6.5a3.5 3.5 0 0 0 0 7H9",
	close: "m4 4 8 8M12 4l-8 8",
	moon: "M13.5 9.5A5.8 5.8 0 0 1 6.5 2.5 5.8 5.8 0 1 0 13.5 9.5z",
	sun: "M8 5a3 3 0 1 0 0 6 3 3 0 0 0 0-6zM8 1.2v1.3M8 13.5v1.3M1.2 8h1.3M13.5 8h1.3M3.2 3.2l.9.9M11.9 11.9l.9.9M3.2 12.8l.9-.9M11.9 4.1l.9-.9",
	help: "M5.8 6a2.3 2.3 0 1 1 3.3 2.2c-.7.4-1.1.8-1.1 1.6M8 12.3v.2M8 14.5a6.5 6.5 0 1 0 0-13 6.5 6.5 0 0 0 0 13z",
	down: "m4 6 4 4 4-4",
	flame:
		"M8 14c-2.5 0-4.3-1.7-4.3-4.1C3.700 7 6.500 6 6.800 2c2.600 1.300 3.400 3 3.300 4.700.6-.2 1-.7 1.200-1.200.8 1.200 1 2.600 1 4.200C12.300 12.300 10.500 14 8 14z",
	edit: "M10.500 2.500l3 3L6 13l-3.500.5L3 10zM9 4l3 3",
	chip: "M4.500 4.500h7v7h-7zM6.500 2v2.500M9.500 2v2.500M6.500 11.500V14M9.500 11.500V14M2 6.500h2.500M2 9.500h2.500M11.500 6.500H14M11.500 9.500H14",
	save: "M8 2v8M5 7l3 3 3-3M3 13h10",
	link: "M6.500 9.500l3-3M7 5l1.600-1.600a2.800 2.800 0 0 1 4 4L11 9M9 11l-1.600 1.600a2.800 2.800 0 0 1-4-4L5 7",
	trash: "M3 4.500h10M6 4.500V3h4v1.500M4.500 4.500l.6 8.500h5.800l.6-8.500",
	goto: "M2 8h8M7 5l3 3-3 3M13.500 3v10",
	plus: "M8 3v10M3 8h10",
};

export function Icon({ name, solid }: { name: keyof typeof paths; solid?: boolean }) {
	return (
		<svg class="icon" viewBox="0 0 16 16" aria-hidden="true">
			<path
				d={paths[name]}
				fill={solid ? "currentColor" : "none"}
				stroke="currentColor"
				stroke-width="1.4"
				stroke-linecap="round"
				stroke-linejoin="round"
			/>
		</svg>
	);
}
