import { type App, Keymap, SuggestModal } from "obsidian";
import type { Connection } from "./connection";
import { drawExcerpt, drawNote } from "./draw";
import { byNote, type Found } from "./found";
import { Latest } from "./latest";
import { insertLink, openPlace } from "./open";
import { worded } from "./problem";

const EMPTY = "Type what you are looking for, in any words";

/** Search while typing: hits by note, with their best lines. */
export class SearchModal extends SuggestModal<Found> {
    private readonly latest = new Latest();
    private shown: Found[] = [];
    private refreshed = false;

    constructor(
        app: App,
        private readonly connection: Connection,
        private readonly hits: number,
    ) {
        super(app);
        connection.retry();
        this.limit = hits;
        this.emptyStateText = EMPTY;
        this.modalEl.addClass("notewell-search");
        this.setPlaceholder("Search by words and by meaning…");
        this.setInstructions([
            { command: "↑↓", purpose: "to look at a passage" },
            { command: "↵", purpose: "to open it" },
            { command: "⌘/ctrl ↵", purpose: "to open it in a new tab" },
            { command: "⇧↵", purpose: "to insert a link" },
        ]);
        for (const modifier of ["Shift", "Mod"] as const) {
            this.scope.register([modifier], "Enter", (event) => {
                this.selectActiveSuggestion(event);
                return false;
            });
        }
    }

    /** Return the hits; those shown stay while newer ones are on their way. */
    override async getSuggestions(query: string): Promise<Found[]> {
        const text = query.trim();
        if (!text) {
            this.latest.forget();
            this.emptyStateText = EMPTY;
            return (this.shown = []);
        }
        try {
            const found = await this.latest.run(() => this.search(text));
            if (found) this.shown = found;
        } catch (error) {
            this.emptyStateText = worded(error);
            this.shown = [];
        }
        return this.shown;
    }

    override renderSuggestion({ hit, first }: Found, parent: HTMLElement): void {
        parent.addClass("notewell-hit");
        if (first) drawNote(parent, hit.path);
        const above = hit.heading.split(" > ").slice(1).join(" › ");
        if (above || hit.place) parent.createDiv({ cls: "notewell-heading", text: hit.place || above });
        drawExcerpt(parent, hit.excerpt);
        // Styles show it for the selected hit.
        parent.createDiv({ cls: "notewell-preview", text: hit.text });
    }

    override onChooseSuggestion({ hit }: Found, event: MouseEvent | KeyboardEvent): void {
        if (event.shiftKey) insertLink(this.app, hit.path);
        else void openPlace(this.app, { ...hit, line: hit.excerpt.line || hit.line }, Keymap.isModEvent(event));
    }

    private async search(text: string): Promise<Found[]> {
        // Changed notes are indexed once for each time that the modal opens, not for each letter.
        const refresh = !this.refreshed;
        const results = await this.connection.ask((client) => client.search(text, { limit: this.hits, refresh }));
        this.refreshed = true;
        this.emptyStateText = results.notices[0] ?? "Nothing found";
        return byNote(results.hits);
    }
}
