import type { HarnessConfig, HarnessItem, HarnessPart } from '../../domain/harness.ts';
import { eventsOf, type Trace } from '../../domain/trace.ts';
import { oneLine } from '../../shared/text.ts';
import { type JsonObject, objectOf, textOf } from './json-shapes.ts';

/** How an agent is handed one part of a harness, and where it is then seen; undefined where it is not. */
export interface HarnessWay {
  /** Folder of the agent's home that its files are copied into. */
  readonly folder?: string;
  /** Evidence in its own report. */
  readonly reported?: (item: HarnessItem, trace: Trace, harness: HarnessConfig) => string | undefined;
  /** Evidence in a request to its model: in all that is written there, in one line. */
  readonly requested?: (item: HarnessItem, request: string) => string | undefined;
}

/** The parts of a harness that an agent can be handed. What cannot be seen afterwards is not among them. */
export type HarnessWays = Readonly<Partial<Record<HarnessPart, HarnessWay>>>;

/** A harness as it lies in the home of an agent. */
export interface LaidHarness {
  readonly config: HarnessConfig;
  /** Absolute. */
  readonly pluginFolders: readonly string[];
  /** In the form of the agent, with the folder of their scripts in place. */
  readonly hooks: Readonly<Record<string, readonly unknown[]>> | undefined;
}

/** Agents introduce a text by its name, a few characters or tags before it. */
const longestIntroduction = 40;

/** Whether a request describes something: its description stands there, right behind its name. */
function isDescribed({ name, description }: HarnessItem, request: string): boolean {
  const text = oneLine(description ?? '');
  if (text === '') return false;
  for (let at = request.indexOf(text); at >= 0; at = request.indexOf(text, at + 1)) {
    if (request.slice(Math.max(0, at - name.length - longestIntroduction), at).includes(name)) return true;
  }
  return false;
}

/** A way for sub-agents that an agent describes to its model. */
export function describedSubagents(folder: string): HarnessWay {
  return {
    folder,
    requested: (item, request) =>
      isDescribed(item, request) ? 'its description, in a request to the model' : undefined,
  };
}

/** Lines that Claude Code and its forks print about themselves. */
export function systemLines(trace: Trace, subtype: string): JsonObject[] {
  return eventsOf(trace, 'other').flatMap(({ kind, data }) => (kind === `system/${subtype}` ? [objectOf(data)] : []));
}

/** A way that is seen in the first line of output, which lists what was loaded. */
export function listedWay(key: string, folder?: string): HarnessWay {
  const names = (line: JsonObject): unknown[] => {
    const listed = line[key];
    return Array.isArray(listed) ? listed.map((each) => textOf(each) ?? objectOf(each).name) : [listed];
  };
  return {
    ...(folder !== undefined && { folder }),
    reported: ({ name }, trace) =>
      systemLines(trace, 'init').some((line) => names(line).includes(name))
        ? `\`${key}\` of its first line`
        : undefined,
  };
}
