import type { ActionKind } from '../../../../domain/capability.ts';
import { observedCalls } from '../../../../domain/tools/tool-calls.ts';
import type { Trace } from '../../../../domain/trace.ts';
import { textsIn } from '../../../../shared/json.ts';

/** Something that the agent did: what it gave to a tool, and what it saw of it. */
export interface Act {
  /** Index of its event in the trace. */
  readonly event: number;
  /** For people: `call 3, Bash`. */
  readonly name: string;
  /** Undefined where the purpose of the tool is unknown, or that of the recorded program. */
  readonly kind: ActionKind | undefined;
  /** Whether its tool searches the web; a tool of the same kind may search files. */
  readonly isWebSearch: boolean;
  readonly given: string;
  readonly seen: string;
}

/** The acts of the agent, in order; commands of the tool under test as the recorder saw them. */
export function actsIn(trace: Trace): readonly Act[] {
  const calls = observedCalls(trace).map(({ eventIndex, number, tool, kind, input, shellCommand, result, error }) => ({
    event: eventIndex,
    name: `call ${number}, ${tool}`,
    kind,
    isWebSearch: /web|google/i.test(tool),
    given: [...textsIn(input), shellCommand ?? ''].join('\n'),
    seen: [...textsIn(result), error?.message ?? ''].join('\n'),
  }));
  const commands = trace.flatMap((event, index): Act[] => {
    if (event.type !== 'command' || event.isNested) return [];
    const [program = ''] = event.argv;
    const printed = `${event.stdout?.text ?? ''}\n${event.stderr?.text ?? ''}`;
    return [
      {
        event: index,
        name: `command ${program}`,
        kind: undefined,
        isWebSearch: false,
        given: event.argv.join(' '),
        seen: printed,
      },
    ];
  });
  return [...calls, ...commands].toSorted((one, other) => one.event - other.event);
}

/** Kinds in whose input a path is talked about rather than opened: plans, prompts of sub-agents, names of skills. */
const talk: ReadonlySet<ActionKind | undefined> = new Set(['other', 'delegate', 'skill']);

export function opensFiles({ kind }: Act): boolean {
  return !talk.has(kind);
}

/** Whether a text names a path, and not one that it is only a part of. */
export function namesPath(text: string, path: string): boolean {
  for (let at = text.indexOf(path); at >= 0; at = text.indexOf(path, at + 1)) {
    const before = text[at - 1] ?? ' ';
    const after = text.slice(at + path.length, at + path.length + 2);
    if (!/[\w.-]/.test(before) && !/^(?:[\w-]|\.\w)/.test(after)) return true;
  }
  return false;
}
