/** What can be done to an observation on its way to a verdict. */
export type Distortion = 'removed' | 'corrupted' | 'delayed' | 'doubled';

/** Where an observation comes from. */
export type Source =
  | 'target answer'
  | 'tool call'
  | 'token usage'
  | 'cost'
  | 'latency'
  | 'judge answer'
  | 'evidence'
  | 'file state'
  | 'exit code'
  | 'trace span'
  | 'dataset row';

/** A figure that rests on the observation; afterwards it may be what it was, or absent, and nothing else. */
interface Figure {
  readonly metric: string;
  readonly honest: number;
}

/** The content of a scenario file, given the name under which reports show it. */
type ScenarioFile = (name: string) => Readonly<Record<string, unknown>>;

/** One observation that does not arrive as it was made, and the scenario that depends on it. */
export interface Lie {
  readonly source: Source;
  readonly distortion: Distortion;
  /** What exactly was done, and what is asserted about it. */
  readonly detail: string;
  readonly scenario: ScenarioFile;
  readonly figure?: Figure;
  /** What is asserted does not rest on the distorted observation, so the trial may pass. */
  readonly mayPass?: boolean;
}

/** A kind of target that tells the truth in its honest scenario, and lies in all the others. */
export interface World {
  readonly kind: string;
  readonly files: Readonly<Record<string, string>>;
  readonly env?: Readonly<Record<string, string>>;
  /** Passes: it shows that nothing but the lie keeps the others from passing. */
  readonly honest: ScenarioFile;
  readonly lies: readonly Lie[];
}

export const honestName = 'honest';

/** A name that says which observation a scenario lacks. */
export function nameOf({ source, distortion, detail }: Lie): string {
  return `${source} ${distortion}: ${detail}`;
}

/** The scenario files of a world, one for each lie and one that is honest. */
export function scenarioFiles({ honest, lies }: World): Record<string, string> {
  const all = [honest(honestName), ...lies.map((lie) => lie.scenario(nameOf(lie)))];
  return Object.fromEntries(
    all.map((scenario, index) => [`s${String(index).padStart(3, '0')}.yaml`, JSON.stringify(scenario)]),
  );
}
