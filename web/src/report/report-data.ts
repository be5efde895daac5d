import { type ReportedTrial, type TrialPage, unpackedTrials } from '../../../src/report/presentation/packed-trials.ts';
import type { ReportDocument, ReportedDetail, ReportSide } from '../../../src/report/reporters/html/report-document.ts';

/** A trial of the run of the report, or of the run that it is compared with. */
export interface SidedTrial {
  readonly side: ReportSide;
  /** Its place among the trials of its side. */
  readonly index: number;
  readonly trial: ReportedTrial;
}

/** The data inside of the page. Lists are unpacked at once, and records with their traces when they are looked at. */
export class ReportData {
  readonly document: ReportDocument;
  /** Of the run, in plan order. */
  readonly trials: readonly ReportedTrial[];
  readonly #byId: ReadonlyMap<string, SidedTrial>;
  #places: Promise<ReadonlyMap<string, Place>> | undefined;
  /** The last chunk stays unpacked, because neighbours are read together. */
  #unpacked: { readonly chunk: Element; readonly lines: Promise<readonly string[]> } | undefined;

  constructor() {
    this.document = jsonIn('script.data-report')[0] as ReportDocument;
    this.trials = trialsOf('');
    const sides: readonly SidedTrial[] = [...sided(trialsOf('a'), 'a'), ...sided(this.trials, '')];
    this.#byId = new Map(sides.map((each) => [each.trial.trialId, each]));
  }

  find(trialId: string): SidedTrial | undefined {
    return this.#byId.get(trialId);
  }

  /** How many trials of the run come without their trace; resolves when the whole page has been read. */
  async countWithoutTrace(): Promise<number> {
    await wholePage();
    const chunks = [...document.querySelectorAll('script.data-details[data-side=""]')];
    return this.trials.length - chunks.reduce((sum, chunk) => sum + Number(chunk.getAttribute('data-traces')), 0);
  }

  /** Undefined where the page has nothing but the row of the trial. */
  async detailOf({ side, trial }: SidedTrial): Promise<ReportedDetail | undefined> {
    this.#places ??= placesInPage();
    const place = (await this.#places).get(`${side}${trial.ordinal}`);
    if (!place) return undefined;
    if (this.#unpacked?.chunk !== place.chunk) this.#unpacked = { chunk: place.chunk, lines: unpack(place.chunk) };
    const line = (await this.#unpacked.lines)[place.line];
    return line === undefined ? undefined : JSON.parse(line);
  }
}

function jsonIn(selector: string): unknown[] {
  return [...document.querySelectorAll(selector)].map((element) => JSON.parse(element.textContent ?? ''));
}

function trialsOf(side: ReportSide): ReportedTrial[] {
  return (jsonIn(`script.data-trials[data-side="${side}"]`) as TrialPage[]).flatMap(unpackedTrials);
}

function sided(trials: readonly ReportedTrial[], side: ReportSide): SidedTrial[] {
  return trials.map((trial, index) => ({ side, index, trial }));
}

interface Place {
  readonly chunk: Element;
  readonly line: number;
}

/** Details stand behind the program, so they may not be read yet when it starts. */
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
