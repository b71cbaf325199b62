import type { Excerpt } from "./answers";
import { pieces } from "./found";

/** Draw the sentences of a hit, with the words of the query marked; notes are text here, never markup. */
export function drawExcerpt(parent: HTMLElement, excerpt: Excerpt): void {
    const box = parent.createDiv({ cls: "notewell-excerpt" });
    for (const { text, marked } of pieces(excerpt.text, excerpt.highlights)) {
        if (marked) box.createEl("mark", { text });
        else box.appendText(text);
    }
}

/** Return the folder of a path, and the name without `.md`. */
export function splitPath(path: string): { folder: string; name: string } {
    const slash = path.lastIndexOf("/");
    return { folder: path.slice(0, Math.max(slash, 0)), name: path.slice(slash + 1).replace(/\.md$/, "") };
}

/** Draw the name of a note and its folder. */
export function drawNote(parent: HTMLElement, path: string): void {
    const { folder, name } = splitPath(path);
    const box = parent.createDiv({ cls: "notewell-note" });
    box.createSpan({ cls: "notewell-name", text: name });
    if (folder) box.createSpan({ cls: "notewell-folder", text: folder });
}

/** Open what a box shows when it is clicked, or when ↵ is pressed on it. */
export function opens(box: HTMLElement, open: (event: MouseEvent | KeyboardEvent) => void): void {
    box.setAttrs({ role: "link", tabindex: "0" });
    box.addEventListener("click", open);
    box.addEventListener("keydown", (event) => {
        if (event.key === "Enter") open(event);
    });
}
