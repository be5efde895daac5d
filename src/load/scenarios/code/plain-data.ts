import type { Problem } from '../../../domain/problem.ts';
import type { DataPath, ParsedSource } from '../../sources/parsed-source.ts';
import { mostLevels, tooDeepMessage } from '../../sources/refused-data.ts';
import { pathText } from '../../sources/schema-messages.ts';

/** A copy of what code made, as JSON would carry it, and the parts that JSON would lose or change. */
interface PlainData {
  readonly value: unknown;
  readonly problems: readonly Problem[];
}

const functionHint =
  'A scenario is data, so workers and other machines can run it. Export the function from a module and name it: `{ module: "./tool.ts", export: "name" }`.';

/** Checks that a value is plain data; `undefined` counts as left out. */
export function plainData(value: unknown, source: Pick<ParsedSource, 'locate'>): PlainData {
  const problems: Problem[] = [];
  const refuse = (path: DataPath, message: string, hint?: string): undefined => {
    problems.push({ at: source.locate(path), message, hint });
    return undefined;
  };
  const around = new Set<unknown>();
  const copy = (part: unknown, path: DataPath): unknown => {
    if (around.has(part)) return refuse(path, `${pathText(path)} is an object that contains itself`);
    if (path.length > mostLevels) return refuse(path, tooDeepMessage);
    if (typeof part === 'function') return refuse(path, `${pathText(path)} is a function`, functionHint);
    if (typeof part === 'bigint' || typeof part === 'symbol')
      return refuse(path, `${pathText(path)} is a ${typeof part}, which is not plain data`);
    if (typeof part === 'number' && !Number.isFinite(part))
      return refuse(path, 'the number is infinite or too large', 'Put it in quotes if it is text.');
    if (typeof part !== 'object' || part === null) return part;
    around.add(part);
    const copied = copyOf(part, path);
    around.delete(part);
    return copied;
  };
  const copyOf = (part: object, path: DataPath): unknown => {
    if (Array.isArray(part)) return part.map((item, index) => copy(item, [...path, index]) ?? null);
    if ('toJSON' in part && typeof part.toJSON === 'function') return copy(part.toJSON(), path);
    const kind = Object.prototype.toString.call(part).slice('[object '.length, -1);
    // JSON would write it as `{}`.
    if (kind !== 'Object') return refuse(path, `${pathText(path)} is a ${kind}, which is not plain data`, hints[kind]);
    const entries = Object.entries(part).map(([key, item]) => [key, copy(item, [...path, key])] as const);
    return Object.fromEntries(entries.filter(([, item]) => item !== undefined));
  };
  return { value: copy(value, []), problems };
}

const hints: Readonly<Record<string, string>> = {
  RegExp: 'Write the expression as text.',
  Promise: 'Write `await` before it.',
};
