import { createParser } from 'eventsource-parser';
import { isRecord, jsonOrText } from '../../../shared/json.ts';
import { type Replacement, replacedAcross } from '../../tape/trial-paths.ts';

/** One event of a streamed reply: its data as JSON where it is JSON. */
export interface ReplyPiece {
  readonly event?: string | undefined;
  readonly data: unknown;
}

export function piecesOf(stream: string): ReplyPiece[] {
  const pieces: ReplyPiece[] = [];
  const parser = createParser({
    onEvent: ({ event, data }) =>
      void pieces.push({ ...(event === undefined ? {} : { event }), data: jsonOrText(data) }),
  });
  parser.feed(stream);
  return pieces;
}

export function streamOf({ event, data }: ReplyPiece): string {
  const text = typeof data === 'string' ? data : JSON.stringify(data);
  const lines = text.split('\n').map((line) => `data: ${line}\n`);
  return `${event === undefined ? '' : `event: ${event}\n`}${lines.join('')}\n`;
}

/** A text in a piece that can be changed. */
interface TextSlot {
  readonly text: string;
  set(text: string): void;
}

/** Numbers and names by which providers say which text a piece continues. */
const continuationKeys = ['index', 'output_index', 'content_index', 'summary_index', 'item_id'];

/** Fields whose texts come in pieces. */
const streamedTexts = /\/(?:text|partial_json|arguments|delta|thinking|content|reasoning\w*)$/;

/**
 * The same values with matches replaced in every text. Models stream a path in several pieces, so texts at the same
 * place of successive pieces are searched as one.
 */
export function withReplacedTexts<Value>(
  values: readonly Value[],
  replacement: Replacement,
  redact: (text: string) => string,
): Value[] {
  const copies = structuredClone([...values]);
  const channels = new Map<string, TextSlot[]>();
  const add = (place: string, slot: TextSlot): void => {
    const channel = channels.get(place);
    if (channel) channel.push(slot);
    else channels.set(place, [slot]);
  };
  copies.forEach((_, index) => {
    collectTexts(copies, index, '', add);
  });
  for (const [place, slots] of channels) {
    const texts = replacedAcross(
      slots.map(({ text }) => text),
      replacement,
    );
    const written = streamedTexts.test(place) ? redactedAcross(texts, redact) : texts.map(redact);
    slots.forEach((slot, index) => {
      slot.set(written[index] ?? '');
    });
  }
  return copies;
}

/** Where a text has to be redacted, it is unknown which piece holds which part of it: the first gets all. */
function redactedAcross(texts: readonly string[], redact: (text: string) => string): string[] {
  const whole = texts.join('');
  const clean = redact(whole);
  return clean === whole ? [...texts] : [clean, ...texts.slice(1).map(() => '')];
}

function collectTexts(
  holder: unknown[] | Record<string, unknown>,
  key: string | number,
  place: string,
  add: (place: string, slot: TextSlot) => void,
): void {
  const fields = holder as Record<string | number, unknown>;
  const value = fields[key];
  if (typeof value === 'string') {
    const set = (text: string): void => {
      fields[key] = text;
    };
    add(place, { text: value, set });
  } else if (Array.isArray(value)) {
    value.forEach((_, index) => {
      collectTexts(value, index, `${place}/${index}`, add);
    });
  } else if (isRecord(value)) {
    const which = continuationKeys.map((name) => (name in value ? String(value[name]) : '')).join(',');
    for (const name of Object.keys(value)) collectTexts(value, name, `${place}/${which}/${name}`, add);
  }
}
