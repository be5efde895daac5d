import type { DataPath } from '../../../load/sources/parsed-source.ts';
import { canonicalJson, isRecord } from '../../../shared/json.ts';

/** One thing to change in some data; `undefined` takes the value away. */
export interface DataChange {
  readonly path: DataPath;
  readonly value: unknown;
}

/** The smallest changes that make one value of another, so that what stands around them in a file stays as it is. */
export function changesBetween(before: unknown, after: unknown, path: DataPath = []): DataChange[] {
  if (canonicalJson(before) === canonicalJson(after) && (before === undefined) === (after === undefined)) return [];
  if (!isRecord(before) || !isRecord(after)) return [{ path, value: after }];
  const removed = Object.keys(before).filter((key) => !Object.hasOwn(after, key));
  return [
    ...removed.map((key) => ({ path: [...path, key], value: undefined })),
    ...Object.entries(after).flatMap(([key, value]) =>
      changesBetween(Object.hasOwn(before, key) ? before[key] : undefined, value, [...path, key]),
    ),
  ];
}

/** The value with a change made; nothing of the given one is touched. */
export function withChange(value: unknown, { path: [step, ...rest], value: wanted }: DataChange): unknown {
  if (step === undefined) return wanted;
  if (Array.isArray(value)) {
    return value.map((item, index) =>
      index === Number(step) ? withChange(item, { path: rest, value: wanted }) : item,
    );
  }
  const around = isRecord(value) ? value : {};
  const key = String(step);
  const { [key]: old, ...others } = around;
  const made = withChange(old, { path: rest, value: wanted });
  return made === undefined ? others : { ...around, [key]: made };
}
