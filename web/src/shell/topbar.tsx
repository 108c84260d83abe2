// The top bar: the document that is shown, search, controls of the kinds, theme, help.
import { shareable } from "../api";
import {
	activeDocument,
	activeKind,
	documentsOf,
	openDocument,
	openKinds,
} from "../kinds/documents";
import { Icon } from "../panels/icon";
import { dark, message, overlay } from "../state/store";
import { toggleTheme } from "../state/theme";

/** The document that is shown, and the others of its kind to choose from. */
function Documents() {
	const [kind, shown] = [activeKind.value, activeDocument.value];

	if (!kind || !shown) return null;
	const all = documentsOf(kind.id);
	if (all.length < 2)
		return (
			<span class="document-name" title={shown.path}>
				{shown.name}
			</span>
		);
	return (
		<label class="select" title={shown.path}>
			<select
				aria-label={kind.title}
				value={shown.number}
				onChange={(e) => void openDocument(kind.id, Number(e.currentTarget.value))}
			>
				{all.map((d) => (
					<option key={d.number} value={d.number}>
						{d.name}
					</option>
				))}
			</select>
		</label>
	);
}

async function copyLink(): Promise<void> {
	try {
		await navigator.clipboard.writeText(shareable());
		message.value =
			"A link to this state of the page is in the clipboard. It holds the token of this server.";
	} catch {
		message.value = `The link to this state: ${shareable()}`;
	}
}

export function Topbar() {
	return (
		<header class="topbar">
			<span class="brand">
				<Icon name="lamp" /> memlamp
			</span>
			<Documents />
			<button class="search-box" onClick={() => (overlay.value = "search")}>
				<Icon name="search" /> <span>Search commands, regions, lines…</span> <kbd>/</kbd>
			</button>
			<span class="grow" />
			{openKinds.value.map(
				(k) => k.Top && <k.Top key={k.id} active={k === activeKind.value} />,
			)}
			<button
				class="quiet"
				title="copy a link to this state"
				onClick={() => void copyLink()}
			>
				<Icon name="link" />
			</button>
			<button class="quiet" title="light or dark (T)" onClick={toggleTheme}>
				<Icon name={dark.value ? "sun" : "moon"} />
			</button>
			<button class="quiet" title="help (?)" onClick={() => (overlay.value = "help")}>
				<Icon name="help" />
			</button>
		</header>
	);
}
