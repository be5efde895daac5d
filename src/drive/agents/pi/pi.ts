import { dirname } from 'node:path';
import type { AgentSession } from '../agent.ts';
import { writeHomeFile } from '../home-files.ts';
import { modelOf, openaiBaseUrl } from '../openai-server.ts';
import { setVariables } from '../set-variables.ts';
import { defineStreamAgent, fitsArgument } from '../stream-agent.ts';
import { openPiStream } from './pi-stream.ts';

const quiet = { PI_OFFLINE: '1', PI_SKIP_VERSION_CHECK: '1', PI_TELEMETRY: '0' };

const keyVariables = [
  'OPENAI_API_KEY',
  'ANTHROPIC_API_KEY',
  'GEMINI_API_KEY',
  'OPENROUTER_API_KEY',
  'GROQ_API_KEY',
  'MISTRAL_API_KEY',
];

/** The pi coding agent, which works with many providers. */
export const pi = defineStreamAgent({
  name: 'pi',
  summary: 'the pi coding agent, run with `-p --mode json`',
  program: 'pi',
  versionArguments: ['--version'],
  install: 'npm install -g @earendil-works/pi-coding-agent',
  inheritedVariables: [...keyVariables, 'OPENAI_BASE_URL'],
  keyVariables,
  reports: { work: 'live', usage: 'live' },

  async launch(session) {
    const { settings, home, prompt } = session;
    if (Object.keys(session.mcpServers).length > 0) {
      session.emit({ type: 'notice', message: 'pi takes no MCP servers; it works without them' });
    }
    const models = await writeHomeFile(home, '.pi/agent/models.json', piModels(session));
    const isArgument = fitsArgument(prompt);
    const argv: [string, ...string[]] = [
      session.program,
      ...['-p', '--mode', 'json', '--no-session'],
      ...modelArguments(session),
      ...settings.args,
      ...(isArgument ? [asMessage(prompt)] : []),
    ];
    const told = setVariables({ OPENAI_API_KEY: settings.apiKey });
    const env = { ...quiet, PI_CODING_AGENT_DIR: dirname(models), ...told };
    return { argv, env, stdin: isArgument ? '' : prompt };
  },

  openStream: openPiStream,
});

function modelArguments(session: AgentSession): string[] {
  if (openaiBaseUrl(session) !== undefined) return ['--provider', 'assay', '--model', modelOf(session, 'pi')];
  return session.model === undefined ? [] : ['--model', session.model];
}

function piModels(session: AgentSession): string {
  const baseUrl = openaiBaseUrl(session);
  if (baseUrl === undefined) return JSON.stringify({ providers: {} });
  const provider = {
    baseUrl,
    api: 'openai-completions',
    // A command is understood by every version, while the name of a variable is not; so the key stays out of the file.
    apiKey: '!printenv OPENAI_API_KEY',
    models: [{ id: modelOf(session, 'pi') }],
  };
  return JSON.stringify({ providers: { assay: provider } });
}

/** It would take a first `-` for an option and a first `@` for the name of a file. */
function asMessage(prompt: string): string {
  return /^[-@]/.test(prompt) ? ` ${prompt}` : prompt;
}
