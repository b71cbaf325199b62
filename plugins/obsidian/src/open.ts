import { type App, Notice, type PaneType, type TFile } from "obsidian";

/** A place in a note, as hits and citations name it. */
export interface Place {
    readonly path: string;
    /** Counted from 1; 0 for none. */
    readonly line: number;
    /** The page or slide, for files that have them. */
    readonly place?: string;
}

/** Return the file of a note; the disk may spell a name in another way than Obsidian does, as that of macOS. */
export function fileAt(app: App, path: string): TFile | null {
    return app.vault.getFileByPath(path) ?? app.vault.getFileByPath(asShown(path));
}

/** Return a path as Obsidian spells it: each accent with its letter, and usual spaces. */
export function asShown(path: string): string {
    return path.replace(/[\u00a0\u202f]/g, " ").normalize("NFC");
}

/** Open a note at its line, or a PDF at its page. */
export async function openPlace(app: App, { path, line, place }: Place, pane: PaneType | boolean): Promise<void> {
    const file = fileAt(app, path);
    if (!file) {
        new Notice(`${path} is not in this vault any more`);
        return;
    }
    const page = /^page (\d+)/.exec(place ?? "")?.[1];
    const state = page ? { subpath: `#page=${page}` } : line > 0 ? { line: line - 1 } : {};
    await app.workspace.getLeaf(pane).openFile(file, { active: true, eState: state });
}

/** Insert a link to a note at the cursor, in the form that the user has set. */
export function insertLink(app: App, path: string): void {
    const file = fileAt(app, path);
    const active = app.workspace.activeEditor;
    if (!file || !active?.editor) {
        new Notice(file ? "Open a note to insert the link into" : `${path} is not in this vault any more`);
        return;
    }
    active.editor.replaceSelection(app.fileManager.generateMarkdownLink(file, active.file?.path ?? ""));
}
