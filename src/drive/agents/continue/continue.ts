import { join } from 'node:path';
import { stringify } from 'yaml';
import type { AgentExit, AgentMcpServer, AgentReport, AgentSession, OpenAgentStream } from '../agent.ts';
import { modelOf, openaiApi, openaiBaseUrl, openaiKey, openaiUrl } from '../agent-environment.ts';
import { removingFiles, writeHomeFile } from '../agent-home.ts';
import type { AgentTrace } from '../agent-trace.ts';
import { concludeFromTrace, type ReportedError } from '../conclude.ts';
import { type JsonLineReader, openJsonLines } from '../json-line-stream.ts';
import { type JsonObject, textOf } from '../json-shapes.ts';
import { defineStreamAgent, fitsArgument } from '../stream-agent.ts';

/** Reads the only line that is printed: the final answer. */
export const openContinueStream = ((emit) =>
  openJsonLines(emit, (trace) => new ContinueReader(trace))) satisfies OpenAgentStream;

class ContinueReader implements JsonLineReader {
  readonly #trace: AgentTrace;
  #reportedError: ReportedError | undefined;

  readonly handlers = {
    answer: (line: JsonObject): void => this.#answer(line),
    // An answer that is JSON by itself is printed as it is.
    bare: (line: JsonObject): void => this.#trace.assistant(JSON.stringify(line)),
  };

  constructor(trace: AgentTrace) {
    this.#trace = trace;
  }

  get isClosed(): boolean {
    return this.#trace.sawWork || this.#reportedError !== undefined;
  }

  /** It prints one answer. */
  idOf(): string {
    return 'answer';
  }

  kindOf(line: JsonObject): string {
    return typeof line.status === 'string' ? 'answer' : 'bare';
  }

  conclude(exit: AgentExit, stderrTail: string): AgentReport {
    return concludeFromTrace(this.#trace, { exit, reportedError: this.#reportedError, stderrTail });
  }

  #answer(line: JsonObject): void {
    this.#trace.assistant(textOf(line.response));
    if (line.status === 'success') return;
    this.#reportedError = {
      message: textOf(line.message) ?? textOf(line.error) ?? `it ended with ${String(line.status)}`,
    };
  }
}

const configFile = '.continue/config.yaml';

const continueCli = defineStreamAgent({
  name: 'continue',
  summary: 'the Continue CLI, run with -p; reports its final answer only',
  program: 'cn',
  versionArguments: ['--version'],
  oldestVersion: '1.5.0',
  install: 'npm install -g @continuedev/cli',
  npmPackage: '@continuedev/cli',
  inheritedVariables: ['OPENAI_API_KEY', 'OPENAI_BASE_URL'],
  keyVariables: ['OPENAI_API_KEY'],
  reports: { work: 'at-end', usage: 'never' },
  modelApi: openaiApi('openai-chat', openaiUrl),
  instructions: { files: ['AGENTS.md'], skillFolders: ['.continue/skills'] },

  async launch(session) {
    const { settings, home, prompt } = session;
    if (session.maxTurns !== undefined) {
      session.emit({ type: 'notice', message: 'the Continue CLI does not report its turns, so they are not limited' });
    }
    const config = await writeHomeFile(home, configFile, continueConfig(session));
    const isArgument = fitsArgument(prompt);
    const argv: [string, ...string[]] = [
      session.program,
      ...['-p', '--auto', '--format', 'json', '--config', config],
      ...settings.args,
      ...(isArgument ? ['--', prompt] : []),
    ];
    const env = { CONTINUE_GLOBAL_DIR: join(home, '.continue'), CONTINUE_TELEMETRY_ENABLED: '0' };
    return { argv, env, stdin: isArgument ? '' : prompt };
  },

  openStream: openContinueStream,
});

/** The Continue CLI. Its key is in its config file, which is removed after its end. */
export const continueAgent = removingFiles(continueCli, configFile);

function continueConfig(session: AgentSession): string {
  const model = modelOf(session, 'continue');
  return stringify({
    name: 'assay',
    version: '1.0.0',
    schema: 'v1',
    models: [
      {
        name: model,
        provider: 'openai',
        model,
        apiBase: openaiBaseUrl(session) ?? openaiUrl,
        apiKey: openaiKey(session),
        roles: ['chat'],
        capabilities: ['tool_use'],
      },
    ],
    mcpServers: Object.entries(session.mcpServers).map(([name, server]) => ({ name, ...mcpServer(server) })),
  });
}

function mcpServer(server: AgentMcpServer): object {
  if (!('url' in server)) return { type: 'stdio', ...server };
  return { type: 'streamable-http', url: server.url, requestOptions: { headers: server.headers } };
}
