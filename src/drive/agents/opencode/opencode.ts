import { join } from 'node:path';
import { writeHomeFile } from '../home-files.ts';
import { setVariables } from '../set-variables.ts';
import { defineStreamAgent } from '../stream-agent.ts';
import { opencodeConfig } from './opencode-config.ts';
import { openOpencodeStream } from './opencode-stream.ts';

const quiet = {
  OPENCODE_DISABLE_AUTOUPDATE: '1',
  OPENCODE_DISABLE_MODELS_FETCH: '1',
  OPENCODE_DISABLE_LSP_DOWNLOAD: '1',
  OPENCODE_DISABLE_DEFAULT_PLUGINS: '1',
};

const keyVariables = [
  'OPENAI_API_KEY',
  'ANTHROPIC_API_KEY',
  'OPENROUTER_API_KEY',
  'GEMINI_API_KEY',
  'GOOGLE_GENERATIVE_AI_API_KEY',
  'OPENCODE_API_KEY',
];

/** OpenCode, which works with many providers. */
export const opencode = defineStreamAgent({
  name: 'opencode',
  summary: 'OpenCode, run with `run --format json`',
  program: 'opencode',
  versionArguments: ['--version'],
  oldestVersion: '1.0.0',
  install: 'npm install -g opencode-ai',
  inheritedVariables: [...keyVariables, 'OPENAI_BASE_URL'],
  keyVariables,
  reports: { work: 'live', usage: 'live' },

  async launch(session) {
    const { settings, home, prompt } = session;
    await writeHomeFile(home, '.config/opencode/opencode.json', opencodeConfig(session));
    const argv: [string, ...string[]] = [session.program, ...['run', '--format', 'json'], ...settings.args];
    const env = { ...quiet, ...foldersIn(home), ...setVariables({ OPENAI_API_KEY: settings.apiKey }) };
    // As an argument, it would be put into quotes before the model gets it.
    return { argv, env, stdin: prompt };
  },

  openStream: openOpencodeStream,
});

/** Wherever else the environment points, the agent finds its files in its own home. */
function foldersIn(home: string): Record<string, string> {
  return {
    XDG_CONFIG_HOME: join(home, '.config'),
    XDG_DATA_HOME: join(home, '.local/share'),
    XDG_STATE_HOME: join(home, '.local/state'),
    XDG_CACHE_HOME: join(home, '.cache'),
  };
}
