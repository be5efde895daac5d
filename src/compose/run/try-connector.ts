import { randomUUID } from 'node:crypto';
import { AssayError } from '../../domain/errors.ts';
import type { Connector, ConnectorResponse } from '../../drive/connectors/connector.ts';
import { OpenedOnce, openConnector } from '../../drive/conversation/open-connectors.ts';
import { Threads } from '../../drive/targets/call/threads.ts';
import { TimeLimit, untilAborted } from '../../shared/async.ts';
import type { Project } from '../config/project.ts';
import { projectRedaction } from '../config/redaction.ts';
import { ProjectJudging } from '../judge/judging.ts';
import { mcpSessions } from './open-trial-parts.ts';

export interface ConnectorTrial {
  /** Of the config. */
  readonly name: string;
  readonly message: string;
  readonly timeoutMs: number;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly signal: AbortSignal;
}

/** Sends one message to an agent through a connector of the config and returns the answer; closes all it opened. */
export async function tryConnector(project: Project, trial: ConnectorTrial): Promise<ConnectorResponse> {
  const { name, env, timeoutMs } = trial;
  const spec = Object.hasOwn(project.config.connectors, name) ? project.config.connectors[name] : undefined;
  if (!spec) throw new AssayError('NOT_FOUND', `There is no connector "${name}" in the config.`, { hint: '' });
  using limit = new TimeLimit(timeoutMs, trial.signal);
  const { signal } = limit;
  const redact = projectRedaction(project, env);
  await using threads = new Threads();
  await using judging = new ProjectJudging(project, {}, env, { redact });
  await using mcp = mcpSessions();
  await using connectors = new OpenedOnce<Connector>();
  const context = {
    directory: project.folder,
    env,
    threads,
    mcpSessions: mcp.open,
    models: () => judging.models(),
    redact,
    signal,
  };
  const open = () => openConnector(name, spec, project.parts.connectors, context);
  const asking = (async () => {
    const connector = await connectors.get(name, open);
    return connector.invoke({
      messages: [{ role: 'user', content: trial.message }],
      seenCount: 0,
      conversationId: randomUUID(),
      turn: 1,
      headers: {},
      model: undefined,
      signal,
    });
  })();
  return await untilAborted(asking, signal).catch((error: unknown) => {
    throw error instanceof AssayError || !signal.aborted ? error : tooSlow(name, timeoutMs);
  });
}

function tooSlow(name: string, timeoutMs: number): AssayError {
  return new AssayError('TARGET_TIMEOUT', `The connector "${name}" did not answer within ${timeoutMs / 1_000} s.`, {
    hint: 'Check that the agent is running, and how long it takes to answer.',
  });
}
