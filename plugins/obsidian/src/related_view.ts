import { ItemView, Keymap, type WorkspaceLeaf } from "obsidian";
import type { Hit } from "./answers";
import type { Connection } from "./connection";
import { drawExcerpt, drawNote, opens } from "./draw";
import { Latest } from "./latest";
import { asShown, openPlace } from "./open";
import { Missing, worded } from "./problem";

export const RELATED = "notewell-related";
// The cursor is looked at this often, and must have rested for one look.
const LOOK_MS = 400;
// After a problem it asks again this late: the server may come back while the cursor rests.
const AGAIN_MS = 5_000;
const SHOWN = 8;

/** A place in the note at hand. */
interface At {
    readonly path: string;
    readonly line: number;
}

/** The notes most like the lines around the cursor. */
export class RelatedView extends ItemView {
    private readonly latest = new Latest();
    private seen = "";
    private asked = "";
    private due = Infinity;
    private last: At | null = null;

    constructor(
        leaf: WorkspaceLeaf,
        private readonly connection: Connection,
    ) {
        super(leaf);
        this.icon = "links-coming-in";
    }

    override getViewType(): string {
        return RELATED;
    }

    override getDisplayText(): string {
        return "Related notes";
    }

    protected override async onOpen(): Promise<void> {
        this.contentEl.addClass("notewell-related");
        this.say("Open a note to see which others are like it.");
        this.registerInterval(window.setInterval(() => void this.look(), LOOK_MS));
        await this.look();
    }

    /** Ask about the place at hand once the cursor rests there. */
    async look(): Promise<void> {
        const at = this.at();
        const key = at ? `${at.path}:${at.line}` : "";
        const rests = key === this.seen;
        this.seen = key;
        const again = Date.now() >= this.due;
        if (!at || !rests || (key === this.asked && !again) || !this.contentEl.isShown()) return;
        this.asked = key;
        this.due = Infinity;
        await this.show(at);
    }

    private at(): At | null {
        const { activeEditor } = this.app.workspace;
        const file = activeEditor?.file ?? this.app.workspace.getActiveFile();
        const cursor = activeEditor?.editor?.getCursor();
        // While a pane has the focus, such as this one, no editor is active; the cursor is where it was.
        const line = cursor ? cursor.line + 1 : file?.path === this.last?.path ? (this.last?.line ?? 1) : 1;
        return (this.last = file && { path: file.path, line });
    }

    private async show({ path, line }: At): Promise<void> {
        try {
            const find = () => this.connection.ask((client) => client.related(path, line, SHOWN));
            const results = await this.latest.run(find);
            if (results) this.draw(results.hits.filter((hit) => asShown(hit.path) !== path));
        } catch (error) {
            // The server's hint is about a name that was typed.
            this.say(error instanceof Missing ? "This file is not indexed." : worded(error));
            this.due = Date.now() + AGAIN_MS;
        }
    }

    private draw(hits: readonly Hit[]): void {
        if (hits.length === 0) {
            this.say("No other note is like this one.");
            return;
        }
        this.contentEl.empty();
        for (const hit of hits) {
            const box = this.contentEl.createDiv({ cls: "notewell-hit notewell-link" });
            drawNote(box, hit.path);
            drawExcerpt(box, { ...hit.excerpt, highlights: [] });
            opens(box, (event) => void openPlace(this.app, hit, Keymap.isModEvent(event)));
        }
    }

    private say(text: string): void {
        this.contentEl.empty();
        this.contentEl.createDiv({ cls: "notewell-empty", text });
    }
}
