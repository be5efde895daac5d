import { AssayError } from '../../../domain/errors.ts';
import { counted } from '../../../shared/format.ts';
import { BoundedOutput } from '../../../shared/processes/bounded-output.ts';
import type { AgentExit, AgentKind, AgentReport, AgentSession } from '../agent.ts';
import { AgentTrace } from '../agent-trace.ts';
import { type CommandEnd, holds } from './holds.ts';
import type { AgentScript } from './script.ts';

const headBytes = 32_768;
const tailBytes = 32_768;

interface RunCommand extends CommandEnd {
  readonly exit: AgentExit;
}

/** Runs the steps of the script in order; each command counts as a turn. */
async function followScript(script: AgentScript, session: AgentSession): Promise<AgentReport> {
  const trace = new AgentTrace(session.emit);
  const report = await takeSteps(script, session, trace);
  if (script.usage) trace.usage({ ...script.usage, ...(script.model ? { model: script.model } : {}) });
  return { ...report, turns: trace.turnsBegun };
}

async function takeSteps(script: AgentScript, session: AgentSession, trace: AgentTrace): Promise<AgentReport> {
  let last: RunCommand | undefined;
  for (const step of script.steps) {
    if (step.when && !(await holds(step.when, last, session))) continue;
    if (step.say) trace.assistant(step.say);
    if (step.exit !== undefined) return endedWith(step.exit);
    if (step.run === undefined) continue;
    if (trace.turnsBegun === session.maxTurns)
      return cutShort(`stopped at the limit of ${counted(session.maxTurns, 'turn')}`);
    trace.beginTurn();
    last = await runCommand(step.run, session, trace);
    if (last.exit.timedOut) return cutShort('stopped at the time limit', last.exit);
    if (session.isStopped) return cutShort('interrupted');
  }
  return endedWith(0);
}

function endedWith(exitCode: number): AgentReport {
  const reason = exitCode === 0 ? null : `the script ended with exit code ${exitCode}`;
  return { exit: { exitCode, signal: null, timedOut: false }, completed: exitCode === 0, reason, fault: undefined };
}

function cutShort(reason: string, exit: AgentExit = { exitCode: null, signal: null, timedOut: false }): AgentReport {
  return { exit, completed: false, reason, fault: undefined };
}

async function runCommand(command: string, session: AgentSession, trace: AgentTrace): Promise<RunCommand> {
  const callId = `command-${trace.turnsBegun}`;
  const printed = new BoundedOutput(headBytes, tailBytes);
  trace.toolCall({ callId, tool: 'shell', kind: 'shell', input: { command }, shellCommand: command });
  const exit = await session.start({
    argv: ['/bin/sh', '-c', command],
    env: session.settings.env,
    stdin: '',
    onLine: (line) => printed.append(Buffer.from(`${line}\n`)),
  }).ended;
  const output = printed.text();
  const killed = exit.signal === null ? {} : { error: { message: `ended by ${exit.signal}` } };
  trace.toolResult({ callId, result: output, exitCode: exit.exitCode, ...killed });
  return { output, exitCode: exit.exitCode, exit };
}

/** An agent without a model, which follows a script. */
export const scripted: AgentKind = {
  name: 'scripted',
  summary: 'follows a script of shell commands, without a model',
  program: null,
  versionArguments: [],
  install: 'nothing to install; set `script` of the agent in the config',
  inheritedVariables: [],
  keyVariables: [],
  reports: { work: 'live', usage: 'at-end', actions: { tools: { shell: 'shell' }, subagents: 'none' } },
  isScripted: true,

  async drive(session) {
    const { script } = session.settings;
    if (script === undefined) {
      throw new AssayError('CONFIG_INVALID', 'A scripted agent has no `script`.', {
        hint: 'Set `script` of the agent in the config to a YAML file with `steps`.',
      });
    }
    return followScript(await script.load(), session);
  },
};
