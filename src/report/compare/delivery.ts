import { eventsOf, type Trace, type TraceEventOf } from '../../domain/trace.ts';
import { counted } from '../../shared/format.ts';

type Instructions = TraceEventOf<'instructions'>;

interface Occurrences {
  trials: number;
  readonly example: string;
  readonly what: Set<string>;
}

const namedPaths = 3;

/** Whether guidance reached the models of agents, over the trials of one side or one variant. */
export class Delivery {
  #trials = 0;
  #unknown = 0;
  readonly #missing = new Map<string, Occurrences>();
  readonly #foreign = new Map<string, Occurrences>();

  /** Takes a trial; one whose trace does not say anything about instructions does not count. */
  add(trialId: string, trace: Trace): void {
    const event = eventsOf(trace, 'instructions').at(-1);
    if (!event) return;
    this.#trials++;
    const { guidance } = event;
    if (guidance !== null && event.arrived === 'unknown') this.#unknown++;
    if (guidance !== null && event.arrived === 'no') note(this.#missing, guidance, trialId, []);
    if (event.foreign.length > 0) note(this.#foreign, guidance ?? '', trialId, event.foreign.map(nameOf));
  }

  /** Why the trials say nothing about their guidance, as clauses; empty where it arrived and nothing else did. */
  get problems(): string[] {
    const share = ({ trials, example }: Occurrences): string =>
      `in ${trials} of ${counted(this.#trials, 'trial')}, such as ${example}`;
    return [
      ...[...this.#missing].map(
        ([guidance, found]) => `the guidance ${guidance} did not reach the model ${share(found)}`,
      ),
      ...[...this.#foreign].map(([guidance, found]) => {
        const under = guidance === '' ? '' : ` beside the guidance ${guidance}`;
        const what = [...found.what].slice(0, namedPaths).join(', ');
        return `instructions from outside the trial (${what}) reached the model${under} ${share(found)}`;
      }),
    ];
  }

  /** Trials with guidance whose requests to the model were not seen. */
  get unknown(): number {
    return this.#unknown;
  }
}

function note(found: Map<string, Occurrences>, key: string, example: string, what: readonly string[]): void {
  const occurrences = found.get(key) ?? { trials: 0, example, what: new Set<string>() };
  occurrences.trials++;
  for (const name of what) occurrences.what.add(name);
  found.set(key, occurrences);
}

function nameOf({ path, text }: Instructions['foreign'][number]): string {
  return path ?? JSON.stringify(text);
}
