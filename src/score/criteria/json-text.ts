import { guardValueDepth, type Run, spendScan, spendSize, spendSteps } from './budget.ts';
import { type CallSite, refuseCall } from './obstacle.ts';
import { isDataObject, toText } from './values.ts';

/** Writes a value as `JSON.stringify(value, null, indent)` does, having measured first what that will make. */
export function writeJson(value: unknown, indent: unknown, run: Run): string | undefined {
  const space = typeof indent === 'number' || typeof indent === 'string' ? indent : undefined;
  const indentLength = Math.min(10, typeof space === 'string' ? space.length : (space ?? 0));
  payForJson(value, Math.max(0, indentLength), 0, run);
  return JSON.stringify(value, undefined, space);
}

function payForJson(value: unknown, indentLength: number, depth: number, run: Run): void {
  guardValueDepth(depth);
  spendSteps(run, 1);
  spendSize(run, 2 + indentLength * depth);
  if (typeof value === 'string') spendSize(run, value.length);
  if (Array.isArray(value)) {
    for (const item of value) payForJson(item, indentLength, depth + 1, run);
  } else if (isDataObject(value)) {
    for (const [key, field] of Object.entries(value)) {
      spendSize(run, key.length);
      payForJson(field, indentLength, depth + 1, run);
    }
  }
}

/** Reads JSON text; text that is no JSON leaves the criterion without an answer. */
export function readJson(value: unknown, run: Run, site: CallSite): unknown {
  const text = toText(value, run);
  spendScan(run, text.length * 8);
  spendSize(run, text.length);
  try {
    return JSON.parse(text);
  } catch {
    return refuseCall(site, 'the text is not valid JSON');
  }
}
