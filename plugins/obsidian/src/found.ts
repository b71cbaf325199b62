import type { Hit } from "./answers";

/** A hit among those of its note: the first one also shows the note's name. */
export interface Found {
    readonly hit: Hit;
    readonly first: boolean;
}

/** Return the hits note by note; notes are in the order of their best hits. */
export function byNote(hits: readonly Hit[]): Found[] {
    const notes = new Map<string, Hit[]>();
    for (const hit of hits) notes.set(hit.path, [...(notes.get(hit.path) ?? []), hit]);
    return [...notes.values()].flatMap((own) => own.map((hit, place) => ({ hit, first: place === 0 })));
}

/** A piece of text, marked or not. */
export interface Piece {
    readonly text: string;
    readonly marked: boolean;
}

/** Cut a text at its highlights, which count characters: an emoji is one, and two UTF-16 units. */
export function pieces(text: string, highlights: readonly (readonly [number, number])[]): Piece[] {
    const characters = Array.from(text);
    const cut: Piece[] = [];
    let at = 0;
    for (const [from, to] of highlights) {
        if (from < at || to <= from) continue;
        cut.push({ text: characters.slice(at, from).join(""), marked: false });
        cut.push({ text: characters.slice(from, to).join(""), marked: true });
        at = to;
    }
    cut.push({ text: characters.slice(at).join(""), marked: false });
    return cut.filter((piece) => piece.text);
}
