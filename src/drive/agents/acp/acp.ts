import { AssayError } from '../../../domain/errors.ts';
import type { AgentKind, AgentProcess, AgentReport, AgentSession, AgentStream } from '../agent.ts';
import { keepPathInLoginShells } from '../agent-home.ts';
import { AgentTrace } from '../agent-trace.ts';
import { openJsonLines } from '../json-line-stream.ts';
import { AcpConversation } from './conversation.ts';
import { acpActions } from './tool-call.ts';

/** Time that an agent has to end by itself after its prompt was answered. */
const endingMs = 2_000;

/** Any agent that speaks the Agent Client Protocol. */
export const acp: AgentKind = {
  name: 'acp',
  summary: 'any agent that speaks the Agent Client Protocol on its standard streams',
  program: null,
  versionArguments: [],
  install: 'Set `command` of the agent in the config, such as `opencode acp`, `gemini --acp` or `kimi acp`.',
  inheritedVariables: [],
  keyVariables: [],
  reports: { work: 'live', usage: 'at-end', actions: acpActions },
  modelApi: { api: null, defaultUrl: null, urlVariables: [], keyVariables: [] },
  isScripted: false,
  needsPipes: true,
  asks: true,
  drive,
};

async function drive(session: AgentSession): Promise<AgentReport> {
  const { command } = session.settings;
  if (command === undefined) {
    throw new AssayError('CONFIG_INVALID', 'An agent of the kind "acp" has no `command`.', { hint: acp.install });
  }
  await keepPathInLoginShells(session);
  const { conversation, stream, running } = start(session, command);
  const { ended } = running;
  const over = ended.then(
    () => conversation.processEnded(),
    () => conversation.processEnded(),
  );
  await conversation.hold();
  await letEnd(running, over);
  const exit = await ended;
  const report = stream.finish(exit, session.isStopped);
  if (!session.isStopped || exit.timedOut || report.completed) return report;
  return { ...report, reason: 'interrupted', fault: undefined };
}

interface StartedConversation {
  readonly conversation: AcpConversation;
  readonly stream: AgentStream;
  readonly running: AgentProcess;
}

function start(session: AgentSession, command: string): StartedConversation {
  const { args, env } = session.settings;
  const trace = new AgentTrace(session.emit);
  let running: AgentProcess | undefined;
  const conversation = new AcpConversation(session, trace, (line) => running?.write(line));
  const stream = openJsonLines(trace, () => conversation);
  running = session.start({
    argv: ['/bin/sh', '-c', `${command} "$@"`, 'sh', ...args],
    env,
    stdin: 'open',
    onLine: (line, channel) => (channel === 'stdout' ? stream.line(line) : stream.errorLine(line)),
  });
  return { conversation, stream, running };
}

/** Lets the agent end by itself, for a while. */
async function letEnd(running: AgentProcess, over: Promise<void>): Promise<void> {
  running.closeInput();
  let timer: NodeJS.Timeout | undefined;
  const timeLimit = new Promise<'used up'>((resolve) => {
    timer = setTimeout(() => resolve('used up'), endingMs);
  });
  if ((await Promise.race([over, timeLimit])) === 'used up') running.stop();
  clearTimeout(timer);
}
