import type { PageHead, TrialDetail } from '../page-data.ts';
import type { RowResults } from '../row-results.ts';
import type { TrialRow } from '../trial-row.ts';

/** Everything that the page holds. */
export interface Page {
  readonly head: PageHead;
  readonly rows: readonly TrialRow[];
  /** Trials of the run that this one is compared with, as far as the comparison leads to them. */
  readonly rowsOfA: readonly TrialRow[];
  /** Results of the rows, in their order. */
  readonly results: readonly RowResults[];
  /** Whether the inputs and answers of all trials are here. */
  readonly hasTexts: boolean;
  readonly rowById: ReadonlyMap<string, TrialRow>;
  readonly details: TrialDetails;
}

/** Unpacks the details of single trials; the last chunk stays unpacked, because neighbours are read together. */
export class TrialDetails {
  #places: Promise<ReadonlyMap<string, Place>> | undefined;
  #unpacked: { readonly chunk: Element; readonly lines: Promise<readonly string[]> } | undefined;

  /** Undefined when the page has nothing but the row of this trial. */
  async read({ side, ordinal }: TrialRow): Promise<TrialDetail | undefined> {
    this.#places ??= placesInPage();
    const place = (await this.#places).get(`${side}${ordinal}`);
    if (!place) return undefined;
    if (this.#unpacked?.chunk !== place.chunk) this.#unpacked = { chunk: place.chunk, lines: unpack(place.chunk) };
    const line = (await this.#unpacked.lines)[place.line];
    return line === undefined ? undefined : JSON.parse(line);
  }
}

interface Place {
  readonly chunk: Element;
  readonly line: number;
}

/** How many trials of the run come with their trace; resolves when the whole page has been read. */
export async function traceCount(): Promise<number> {
  await wholePage();
  const chunks = [...document.querySelectorAll('script.data-details[data-side=""]')];
  return chunks.reduce((sum, chunk) => sum + Number(chunk.getAttribute('data-traces')), 0);
}

async function wholePage(): Promise<void> {
  if (document.readyState === 'loading')
    await new Promise((resolve) => document.addEventListener('DOMContentLoaded', resolve, { once: true }));
}

async function placesInPage(): Promise<ReadonlyMap<string, Place>> {
  await wholePage();
  const places = new Map<string, Place>();
  for (const chunk of document.querySelectorAll('script.data-details')) {
    const ordinals = chunk.getAttribute('data-trials')?.split(' ') ?? [];
    for (const [line, ordinal] of ordinals.entries())
      places.set(`${chunk.getAttribute('data-side')}${ordinal}`, { chunk, line });
  }
  return places;
}

async function unpack(chunk: Element): Promise<readonly string[]> {
  const bytes = Uint8Array.from(atob(chunk.textContent ?? ''), (character) => character.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'));
  return (await new Response(stream).text()).split('\n');
}
