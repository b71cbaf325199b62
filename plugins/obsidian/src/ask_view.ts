import { ItemView, Keymap, type WorkspaceLeaf } from "obsidian";
import type { Answer, Citation } from "./answers";
import type { Connection } from "./connection";
import { drawNote, opens } from "./draw";
import { Latest } from "./latest";
import { openPlace } from "./open";
import { worded } from "./problem";

export const ASK = "notewell-ask";

/** A question, its answer, and the quotes that prove it. */
export class AskView extends ItemView {
    private readonly latest = new Latest();
    private answerEl!: HTMLElement;

    constructor(
        leaf: WorkspaceLeaf,
        private readonly connection: Connection,
    ) {
        super(leaf);
        this.icon = "message-circle-question";
    }

    override getViewType(): string {
        return ASK;
    }

    override getDisplayText(): string {
        return "Ask your notes";
    }

    protected override async onOpen(): Promise<void> {
        this.contentEl.addClass("notewell-ask");
        const form = this.contentEl.createEl("form");
        const input = form.createEl("input", { type: "search", placeholder: "Ask your notes…" });
        this.answerEl = this.contentEl.createDiv();
        form.addEventListener("submit", (event) => {
            event.preventDefault();
            if (input.value.trim()) void this.ask(input.value.trim());
        });
        input.focus();
    }

    /** Ask, and show the answer or what went wrong. */
    async ask(question: string): Promise<void> {
        this.say("Looking through your notes…");
        this.connection.retry();
        try {
            const answer = await this.latest.run(() => this.connection.ask((client) => client.answer(question)));
            if (answer) this.draw(answer);
        } catch (error) {
            this.say(worded(error));
        }
    }

    private draw(answer: Answer): void {
        const box = this.answerEl;
        box.empty();
        for (const notice of answer.notices) box.createDiv({ cls: "notewell-notice", text: notice });
        // Without a model, the answer is its quotes, which follow.
        if (answer.model) box.createDiv({ cls: "notewell-text", text: answer.text });
        if (answer.unsupported.length > 0) {
            box.createDiv({ cls: "notewell-notice", text: `Not in the notes: ${answer.unsupported.join(", ")}` });
        }
        if (!answer.answered) box.createDiv({ cls: "notewell-empty", text: "The nearest passages:" });
        for (const citation of answer.citations) this.drawQuote(box, citation);
    }

    private drawQuote(parent: HTMLElement, citation: Citation): void {
        const box = parent.createDiv({ cls: "notewell-quote notewell-link" });
        drawNote(box, citation.path);
        if (citation.quote) box.createEl("blockquote", { text: citation.quote });
        const proven = citation.citation_verified;
        const mark = proven ? `✓ in the note, line ${citation.line}` : "This quote was not found in the note";
        box.createDiv({ cls: proven ? "notewell-proven" : "notewell-unproven", text: `[${citation.number}] ${mark}` });
        opens(box, (event) => void openPlace(this.app, citation, Keymap.isModEvent(event)));
    }

    private say(text: string): void {
        this.answerEl.empty();
        this.answerEl.createDiv({ cls: "notewell-empty", text });
    }
}
