import type { EmitTrace } from '../../domain/trace.ts';
import { counted } from '../../shared/format.ts';
import type {
  AgentExit,
  AgentKind,
  AgentLaunch,
  AgentProcess,
  AgentReport,
  AgentSession,
  AgentStream,
  NoteUsage,
} from './agent.ts';
import { keepPathInLoginShells } from './agent-home.ts';
import { withTerminalTail } from './conclude.ts';
import { type SessionFiles, UsageWatch } from './session-usage.ts';

/** How one agent is started for one task. */
interface StreamLaunch {
  /** `session.program` and its arguments. */
  readonly argv: readonly [string, ...string[]];
  readonly env?: Readonly<Record<string, string>>;
  /** Empty by default. */
  readonly stdin?: string;
  /** In place of `stdin`, for an agent that asks and waits for answers. */
  readonly dialogue?: AgentDialogue;
}

/** Answers to an agent that asks on its output. */
export interface AgentDialogue {
  /** Written when it starts. */
  readonly opening: string;
  /** The reply to a line of its output; undefined for a line that asks nothing. */
  reply(line: string): Promise<string | undefined>;
  /** Whether a line is its last, after which its input is closed. */
  isEnd(line: string): boolean;
}

type FixedParts =
  | 'name'
  | 'summary'
  | 'program'
  | 'versionArguments'
  | 'oldestVersion'
  | 'install'
  | 'npmPackage'
  | 'earlierPackage';

interface StreamAgentDefinition
  extends Pick<
    AgentKind,
    | FixedParts
    | 'inheritedVariables'
    | 'keyVariables'
    | 'reports'
    | 'modelApi'
    | 'instructions'
    | 'countsOtherTurns'
    | 'asks'
    | 'harness'
  > {
  /** Writes the settings into the home, and says how the agent is started. */
  launch(session: AgentSession): Promise<StreamLaunch> | StreamLaunch;
  openStream(emit: EmitTrace, noteUsage?: NoteUsage): AgentStream & { readonly turnsBegun?: number };
  /** Where it writes down its tokens while it works, if it does not print them. */
  readonly sessionFiles?: SessionFiles;
  /** Whether the launch passes the turn limit to the agent; otherwise it is stopped when it begins one turn too many. */
  readonly limitsTurns?: boolean;
}

const terminalTailCharacters = 2_000;
const longestArgumentBytes = 100_000;

/** An agent that is started once for its task and reports its work on stdout, line by line. */
export function defineStreamAgent(definition: StreamAgentDefinition): AgentKind {
  const { launch, openStream, limitsTurns = false, sessionFiles, ...described } = definition;
  return {
    ...described,
    isScripted: false,
    drive: async (session) => {
      await keepPathInLoginShells(session);
      const usage = new UsageWatch(session, sessionFiles, described.reports);
      const stream = openStream(usage.emit, session.noteUsage);
      try {
        return await driveStream(session, await launch(session), stream, limitsTurns);
      } finally {
        usage.finish();
      }
    },
  };
}

/** Whether a prompt fits into an argument, whose length systems limit. */
export function fitsArgument(prompt: string): boolean {
  return Buffer.byteLength(prompt) <= longestArgumentBytes;
}

async function driveStream(
  session: AgentSession,
  launch: StreamLaunch,
  stream: AgentStream & { readonly turnsBegun?: number },
  limitsTurns: boolean,
): Promise<AgentReport> {
  const mostTurns = limitsTurns ? Number.POSITIVE_INFINITY : (session.maxTurns ?? Number.POSITIVE_INFINITY);
  const hasTooManyTurns = (): boolean => (stream.turnsBegun ?? 0) > mostTurns;
  let started: AgentProcess | undefined;
  let terminalTail = '';
  const onLine: AgentLaunch['onLine'] = (line, channel) => {
    if (channel === 'terminal') terminalTail = `${terminalTail}${line}\n`.slice(-terminalTailCharacters);
    if (channel === 'stdout' && launch.dialogue && started) answerLine(launch.dialogue, line, started);
    if (channel === 'stderr') stream.errorLine(line);
    // Work after its last turn, while it is being stopped, does not count.
    else if (!hasTooManyTurns()) stream.line(line);
    if (hasTooManyTurns()) started?.stop();
  };
  started = session.start({
    argv: startedBy(session.settings.command, launch.argv),
    env: { ...launch.env, ...session.settings.env },
    stdin: launch.dialogue ? 'open' : (launch.stdin ?? ''),
    onLine,
  });
  if (launch.dialogue) started.write(launch.dialogue.opening);
  if (hasTooManyTurns()) started.stop();
  const exit = await started.ended;
  const wasStopped = exit.timedOut || hasTooManyTurns() || session.isStopped;
  const report = withTerminalTail(stream.finish(exit, wasStopped), terminalTail);
  if (exit.timedOut) return report;
  if (hasTooManyTurns()) return unfinished(report, `stopped at the limit of ${counted(mostTurns, 'turn')}`);
  return session.isStopped && !endedWell(exit) ? unfinished(report, 'interrupted') : report;
}

function answerLine(dialogue: AgentDialogue, line: string, { write, closeInput }: AgentProcess): void {
  if (dialogue.isEnd(line)) closeInput();
  else void dialogue.reply(line).then((reply) => reply !== undefined && write(reply));
}

/** A command of the settings stands for the program and is given its arguments. */
function startedBy(command: string | undefined, argv: StreamLaunch['argv']): StreamLaunch['argv'] {
  return command === undefined ? argv : ['/bin/sh', '-c', `${command} "$@"`, ...argv];
}

/** Assay ended it, so its end is not a fault of the agent. */
function unfinished(report: AgentReport, reason: string): AgentReport {
  return { ...report, completed: false, reason, fault: undefined };
}

function endedWell({ exitCode }: AgentExit): boolean {
  return exitCode === 0;
}
