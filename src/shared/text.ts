/**
 * A text on one line without control characters and without those that turn the direction of writing around, so what a
 * tool says can neither steer the terminal it is shown on nor show something else than it is.
 */
export function printable(text: string): string {
  return text
    .replace(/\s+/g, ' ')
    .replace(/[\u0000-\u001F\u007F-\u009F\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]/g, '\uFFFD');
}

/**
 * Characters that turn the direction of writing around, have no width, or hide letters (U+E0020 to U+E007E). Joiners belong
 * to the writing of some languages and to emoji, where a letter or sign of those stands before them.
 */
const unseenMarks =
  /[\u00AD\u061C\u180E\u200B\u200E\u200F\u202A-\u202E\u2060-\u206F\uFEFF\uFFF9-\uFFFB\u{E0000}-\u{E007F}]|(?<![\u0590-\u1FFF\u2190-\u{DFFFF}])[\u200C\u200D]/gu;

/** A text as pages show it: characters that cannot be seen are named by their numbers. */
export function withVisibleMarks(text: string): string {
  return text.replace(
    unseenMarks,
    (character) => `⟨U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}⟩`,
  );
}

/** Colours that reports use; hidden text is not among them. */
const ownColor = String.raw`\u001B\[(?:0|[1-4]|2[2-4]|3[1-7]|39|9[0-7])m`;
const foreignControls = new RegExp(String.raw`(?!${ownColor}|\r\n)[\u0000-\u0008\u000B-\u001F\u007F-\u009F]`, 'g');
const hasControl = /[\u0000-\u0008\u000B-\u001F\u007F-\u009F]/;

/**
 * A text that cannot steer the terminal that it is shown on: control characters are written as JSON writes them, so a JSON
 * document stays the same document. Line ends, tabs and the colours of reports stay.
 */
export function withVisibleControls(text: string): string {
  if (!hasControl.test(text)) return text;
  return text.replace(foreignControls, escapeOf);
}

/** The same where nothing is coloured. */
export function withoutControls(text: string): string {
  if (!hasControl.test(text)) return text;
  return text.replace(/\r(?!\n)|[\u0000-\u0008\u000B\u000C\u000E-\u001F\u007F-\u009F]/g, escapeOf);
}

/** A text of others with every character named that would steer a terminal or cannot be seen. */
export function visible(text: string): string {
  return withVisibleMarks(withoutControls(text));
}

/** The same on one line. */
export function visibleLine(text: string): string {
  return visible(text.replace(/\s+/g, ' '));
}

/** JSON in which characters that turn the direction of writing around are written as escapes; its values are the same. */
export function withDirectionsEscaped(json: string): string {
  return json.replace(/[\u007F-\u009F\u061C\u200B-\u200F\u202A-\u202E\u2060-\u2069]/g, escapeOf);
}

function escapeOf(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

/** A text without halves of characters, which strict readers of UTF-8 refuse. */
export function wellFormed(text: string): string {
  return text.toWellFormed();
}

/** A text of at most `most` characters: a longer one is cut, and ends with `…`. */
export function shorten(text: string, most: number): string {
  return text.length <= most ? text : `${wholeCharacters(text.slice(0, Math.max(0, most - 1)))}…`;
}

/** A text of about `most` characters: of a longer one the middle is left out, and the mark says how much. */
export function cutMiddle(text: string, most: number): string {
  if (text.length <= most) return text;
  const half = Math.floor(most / 2);
  const head = wholeCharacters(text.slice(0, half));
  const tail = text.slice(text.length - half).replace(/^[\uDC00-\uDFFF]/, '');
  return `${head} … ${text.length - head.length - tail.length} characters left out … ${tail}`;
}

/** Without half of a surrogate pair at the end. */
function wholeCharacters(text: string): string {
  return text.replace(/[\uD800-\uDBFF]$/, '');
}

/** Text of tools and files as one line of Markdown that shows it as it is: it cannot become markup. */
export function inline(text: string): string {
  return text.replace(/\s+/g, ' ').replace(/[\\`*_[\]<>#|]/g, (character) => `\\${character}`);
}

/** A text with each run of white space as one space, and none around it. */
export function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}

/** The first line of a text that has any words; empty where it has none. */
export function firstLine(text: string): string {
  return text.trim().split(/\r?\n/, 1)[0] ?? '';
}

/** The lines of a text stream without their line ends; a byte order mark at the start is dropped. */
export async function* eachLine(chunks: AsyncIterable<string>): AsyncGenerator<string, void> {
  for await (const lines of linesByChunk(chunks)) for (const line of lines) yield line;
}

/** The same, as many at a time as a piece of the stream ends: waiting for each line costs more than most lines. */
export async function* linesByChunk(chunks: AsyncIterable<string>): AsyncGenerator<readonly string[], void> {
  let rest = '';
  let isFirst = true;
  for await (const chunk of chunks) {
    const text = isFirst ? chunk.replace(/^\uFEFF/, '') : chunk;
    isFirst = false;
    rest += text;
    // Searched in the new part only, so a line of many chunks is not searched again with each of them.
    if (!text.includes('\n')) continue;
    const lines = rest.split('\n');
    rest = lines.pop() ?? '';
    yield lines.map((line) => (line.endsWith('\r') ? line.slice(0, -1) : line));
  }
  if (rest !== '') yield [rest];
}
