import { isDeepStrictEqual } from 'node:util';
import { isRecord } from '../../src/shared/json.ts';
import { type Document, documentOf, placeText, type Spot, spotsOf, withParent } from './document.ts';
import { judgedBy } from './greener.ts';
import { some, type WholeTrial, wholeTrials } from './pairs.ts';
import type { Reader, ReadTrial } from './reader.ts';

/**
 * Objects whose keys are data and not those of a format: arguments and results of tools, answers that are JSON, and tables
 * by name.
 */
const dataKeys =
  /(?:^|\.)(?:arguments|args|inputs?|outputs?|results?|rawInput|rawOutput|variant|metrics|feedback_stats|modelUsage|models|scores)(?:[.[]|$)/;

const newKey = 'a_key_of_later';
const values: readonly unknown[] = ['later', 7, null, true, { kind: 'later' }, ['later']];

interface Extended {
  readonly place: string;
  text(): string;
}

/** Documents in which one object has a key that its format does not have yet. */
function withNewKeys(document: Document, hasClosedRoot: boolean): Extended[] {
  const records = [...rootsOf(document), ...spotsOf(document).filter(({ value }) => isRecord(value))];
  return records
    .filter(({ key, path }) => !dataKeys.test(key) && !(hasClosedRoot && path.length === 0))
    .map((spot, index) => ({
      place: placeText(spot),
      text: () => {
        const inside = { ...spot, path: [...spot.path, newKey] };
        return withParent(document, inside, (record) => ({ ...(record as object), [newKey]: values[index % 6] }));
      },
    }));
}

function rootsOf(document: Document): Spot[] {
  if (document.kind === 'lines') return [];
  const root = { path: [], key: '', siblings: 1 };
  if (document.kind === 'json')
    return isRecord(document.value) ? [{ ...root, line: undefined, value: document.value }] : [];
  return document.lines.flatMap((text, line) => (text.startsWith('{') ? [{ ...root, line, value: text }] : []));
}

/** Tries new keys in all documents of a reader, at places that a seed chooses, and lists what they changed. */
export async function tryNewKeys(
  reader: Reader,
  placesPerDocument: number,
): Promise<{ readonly tried: number; readonly changes: readonly string[] }> {
  await using _server = await reader.open?.();
  let tried = 0;
  const changes: string[] = [];
  for (const { name, text, read } of reader.documents) {
    const document = documentOf(text);
    const whole = await wholeTrials(await read(text));
    for (const { place, text: extended } of some(
      withNewKeys(document, reader.hasClosedRoot === true),
      placesPerDocument,
    )) {
      tried++;
      const { trials } = await read(extended());
      if (trials.size !== whole.size) changes.push(`${name}, ${place}: ${whole.size} trials became ${trials.size}`);
      for (const [key, trial] of trials)
        changes.push(...(await changesIn(whole.get(key), trial)).map((what) => `${name}, ${place}: ${what}`));
    }
  }
  return { tried, changes };
}

async function changesIn(before: WholeTrial | undefined, after: ReadTrial): Promise<string[]> {
  if (!before) return ['there is another trial'];
  const { trace, record } = before.read;
  const facts = [before.read, after].map(({ fault, record: kept }) => [
    ...[fault?.code, kept?.outcome, kept?.reason, kept?.costUsd, kept?.durationMs, kept?.metrics],
  ]);
  const changes = isDeepStrictEqual(facts[0], facts[1])
    ? []
    : [`${JSON.stringify(facts[0])} became ${JSON.stringify(facts[1])}`];
  if (isDeepStrictEqual(trace, after.trace)) return changes;
  const fault = after.fault ?? record?.fault ?? undefined;
  const [was, is] = [
    await judgedBy(trace, before.judged.parts, fault),
    await judgedBy(after.trace, before.judged.parts, fault),
  ];
  const states = [...was.states].flatMap(([assertion, state]) =>
    is.states.get(assertion) === state ? [] : [`${assertion}: ${state} became ${is.states.get(assertion)}`],
  );
  const figures = isDeepStrictEqual(was.figures, is.figures)
    ? []
    : [`${JSON.stringify(was.figures)} became ${JSON.stringify(is.figures)}`];
  return [...changes, ...states, ...figures];
}
