import { isRecord, parseJson } from '../../src/shared/json.ts';
import { cutsIn } from './cuts.ts';
import { type Document, placeText, type Spot, spotsOf, withLines, withParent } from './document.ts';

export const operatorNames = ['drop', 'cut', 'double', 'swap', 'retype', 'contradict', 'delay'] as const;
export type OperatorName = (typeof operatorNames)[number];

/** A way in which a document can arrive that knows less, or contradicts itself. */
export interface Distortion {
  readonly operator: OperatorName;
  /** What it was done to: a whole line or list item, a key of a record, or the bytes. */
  readonly unit: 'line' | 'item' | 'key' | 'bytes';
  readonly place: string;
  /** Of the spot that it was done to; empty for lines and bytes. */
  readonly key: string;
  /** The line or value that it was done to, where there is one. */
  readonly value: unknown;
  /** How many lines, items or keys stand beside it, itself included. */
  readonly siblings: number;
  text(): string;
}

/** Keys by which a document says which thing it speaks of. */
const idKeys = /^(?:id|uuid|callId|call_id|tool_call_id|toolCallId|artifactId|messageId)$/;

/** Whether a line or item has an id, so it is one thing however often it stands there. */
export function isIdentified({ value, unit }: Distortion): boolean {
  if (unit !== 'line' && unit !== 'item') return false;
  const item = recordIn(value);
  // A proxy logs the text of a message.
  return [item, recordIn(item.text)].some((each) => Object.keys(each).some((key) => idKeys.test(key)));
}

function recordIn(value: unknown): Record<string, unknown> {
  const item = typeof value === 'string' ? parseJson(value) : value;
  return isRecord(item) ? item : {};
}

type Edit = (list: readonly unknown[], index: number) => readonly unknown[];

const edits: Readonly<Partial<Record<OperatorName, Edit>>> = {
  drop: (list, index) => list.filter((_, other) => other !== index),
  double: (list, index) => list.flatMap((item, other) => (other === index ? [item, item] : [item])),
  swap: (list, index) =>
    list.map((item, other) => (other === index ? list[index + 1] : other === index + 1 ? list[index] : item)),
  delay: (list, index) => [...list.filter((_, other) => other !== index), list[index]],
};

/** Whether an edit of this item moves anything. */
const moves: Readonly<Partial<Record<OperatorName, (length: number, index: number) => boolean>>> = {
  swap: (length, index) => index < length - 1,
  delay: (length, index) => index < length - 2,
};

/** Everything that an operator can do to a document, at every place. */
export function distortions(document: Document, operator: OperatorName): Distortion[] {
  if (operator === 'cut') return cutsIn(document);
  if (operator === 'retype') return spotsOf(document).flatMap((spot) => retyped(document, spot));
  if (operator === 'contradict') return spotsOf(document).flatMap((spot) => contradicted(document, spot));
  return [...editedLines(document, operator), ...editedItems(document, operator), ...withoutKeys(document, operator)];
}

function editedLines(document: Document, operator: OperatorName): Distortion[] {
  const edit = edits[operator];
  if (document.kind === 'json' || !edit) return [];
  const { lines } = document;
  return [...lines.keys()]
    .filter((index) => moves[operator]?.(lines.length, index) ?? true)
    .map((index) => ({
      operator,
      unit: 'line',
      place: `line ${index + 1}`,
      key: '',
      value: operator === 'swap' ? `${lines[index]}\n${lines[index + 1]}` : lines[index],
      siblings: lines.length,
      text: () => withLines(document, (all) => edit(all, index) as string[]),
    }));
}

function editedItems(document: Document, operator: OperatorName): Distortion[] {
  const edit = edits[operator];
  if (!edit) return [];
  return spotsOf(document).flatMap((spot) => {
    const index = spot.path.at(-1);
    if (typeof index !== 'number' || typeof spot.value !== 'object' || spot.value === null) return [];
    if (!(moves[operator]?.(spot.siblings, index) ?? true)) return [];
    const text = (): string => withParent(document, spot, (list) => edit(list as unknown[], index));
    return [{ operator, unit: 'item', ...about(spot), text }];
  });
}

function withoutKeys(document: Document, operator: OperatorName): Distortion[] {
  if (operator !== 'drop') return [];
  return spotsOf(document).flatMap((spot) => {
    const key = spot.path.at(-1);
    if (typeof key !== 'string') return [];
    const text = (): string =>
      withParent(document, spot, (parent) => {
        const { [key]: _, ...rest } = parent as Record<string, unknown>;
        return rest;
      });
    return [{ operator, unit: 'key', ...about(spot), text }];
  });
}

const retypings: readonly ((value: unknown) => unknown)[] = [
  (value) => (typeof value === 'string' ? `${value}_of_another_kind` : undefined),
  (value) => (typeof value === 'string' ? 7 : undefined),
  (value) => (typeof value === 'number' ? `about ${value}` : undefined),
  (value) => (typeof value === 'boolean' ? `${value}ish` : undefined),
  (value) => (Array.isArray(value) ? { items: value } : undefined),
  (value) => (typeof value === 'object' && value !== null && !Array.isArray(value) ? [value] : undefined),
  (value) => (typeof value === 'object' && value !== null ? JSON.stringify(value) : undefined),
];

/** Texts that say what something is; another text under any other key is content, which nobody can check. */
const kindKeys =
  /(^|\.)(type|role|kind|object|status|event|subtype|finish_reason|stop_reason|stopReason|outcome|state|source|operation)$/;

function retyped(document: Document, spot: Spot): Distortion[] {
  const { key } = spot;
  return retypings.flatMap((retype, number): Distortion[] => {
    if (number === 0 && !kindKeys.test(key)) return [];
    const other = retype(spot.value);
    return other === undefined ? [] : [replaced(document, 'retype', spot, other)];
  });
}

/** Less than nothing, more than can be, and a part of a token. */
const impossible: readonly ((value: number) => number)[] = [
  (value) => -1 - Math.abs(value),
  () => 1e15,
  (value) => value + 0.5,
];

function contradicted(document: Document, spot: Spot): Distortion[] {
  const { value, path } = spot;
  if (typeof value === 'number') {
    const others = /token/i.test(spot.key) ? impossible : impossible.slice(0, 2);
    return others.map((other) => replaced(document, 'contradict', spot, other(value)));
  }
  const index = path.at(-1);
  if (typeof index !== 'number' || typeof value !== 'object' || value === null) return [];
  const twin = withOtherTexts(value);
  const text = (): string => withParent(document, spot, (list) => (list as unknown[]).toSpliced(index + 1, 0, twin));
  return [{ operator: 'contradict', unit: 'item', ...about(spot), text }];
}

const identity = /^(id|.*[iI]d|.*_id|type|role|kind|object|name|.*Name|event)$/;

/** The same record with the same ids, and other contents. */
function withOtherTexts(value: unknown): unknown {
  if (typeof value === 'string') return value.startsWith('{') ? '{"other":1}' : `Another ${value}`;
  if (Array.isArray(value)) return value.map(withOtherTexts);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, part]) => [key, identity.test(key) ? part : withOtherTexts(part)]),
  );
}

function replaced(document: Document, operator: OperatorName, spot: Spot, other: unknown): Distortion {
  const step = spot.path.at(-1) ?? '';
  const text = (): string =>
    withParent(document, spot, (parent) =>
      Array.isArray(parent) ? parent.with(Number(step), other) : { ...(parent as object), [step]: other },
    );
  const { place, ...rest } = about(spot);
  return { operator, unit: 'key', place: `${place} = ${JSON.stringify(other)?.slice(0, 60)}`, ...rest, text };
}

function about(spot: Spot): Pick<Distortion, 'place' | 'key' | 'value' | 'siblings'> {
  return { place: placeText(spot), key: spot.key, value: spot.value, siblings: spot.siblings };
}
