import { readFile, stat } from 'node:fs/promises';
import { isRecord } from '../../shared/json.ts';
import { type JsonObject, parseJson, timeOf } from './coerce.ts';

/** A line of a file that is read along with another one. */
export interface SideLine {
  readonly object: JsonObject;
  readonly timeMs: number;
}

/** Memory limit: files of sub-agents are kept while that of their agent is read. */
const mostBytes = 64 * 1_048_576;

/** The lines of a file of a sub-agent with their times; undefined where it cannot be read. */
export async function readSideLines(path: string): Promise<SideLine[] | undefined> {
  try {
    if ((await stat(path)).size > mostBytes) return undefined;
    const lines = (await readFile(path, 'utf8')).split('\n').filter((line) => line.trim() !== '');
    // One that cannot be read is a line of an unknown kind.
    const objects = lines.map(parseJson).map((line) => (isRecord(line) ? line : { type: 'not JSON' }));
    let timeMs = 0;
    return objects.map((object) => {
      timeMs = timeOf(object.timestamp) ?? timeMs;
      return { object, timeMs };
    });
  } catch {
    return undefined;
  }
}

/** Lines of several files in the order of their times. */
export class SideFiles<Side> {
  readonly #lines: (SideLine & { readonly side: Side })[] = [];

  add(lines: readonly SideLine[], side: Side): void {
    this.#lines.push(...lines.map((line) => ({ ...line, side })));
    this.#lines.sort((a, b) => a.timeMs - b.timeMs);
  }

  /** Takes the lines until a time; all that are left without one. */
  take(untilMs = Number.POSITIVE_INFINITY): readonly (SideLine & { readonly side: Side })[] {
    const end = this.#lines.findIndex(({ timeMs }) => timeMs > untilMs);
    return this.#lines.splice(0, end === -1 ? this.#lines.length : end);
  }
}
