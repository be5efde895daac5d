import { dirname } from 'node:path';
import { writeHomeFile } from '../home-files.ts';
import { setVariables } from '../set-variables.ts';
import { defineStreamAgent, fitsArgument } from '../stream-agent.ts';
import { codexConfig } from './codex-config.ts';
import { codexSession } from './codex-session.ts';
import { openCodexStream } from './codex-stream.ts';

/** Codex of OpenAI. */
export const codex = defineStreamAgent({
  name: 'codex',
  summary: 'Codex of OpenAI, run with exec',
  program: 'codex',
  versionArguments: ['--version'],
  oldestVersion: '0.44.0',
  install: 'npm install -g @openai/codex',
  inheritedVariables: ['OPENAI_API_KEY', 'OPENAI_BASE_URL'],
  keyVariables: ['OPENAI_API_KEY'],
  reports: { work: 'live', usage: 'live' },

  async launch(session) {
    const { settings, prompt } = session;
    const config = await writeHomeFile(session.home, '.codex/config.toml', codexConfig(session));
    const isArgument = fitsArgument(prompt);
    const argv: [string, ...string[]] = [
      session.program,
      ...['exec', '--json', '--skip-git-repo-check', '--dangerously-bypass-approvals-and-sandbox'],
      ...settings.args,
      ...(isArgument ? ['--', prompt] : ['-']),
    ];
    const env = setVariables({ CODEX_HOME: dirname(config), OPENAI_API_KEY: settings.apiKey });
    return { argv, env, stdin: isArgument ? '' : prompt };
  },

  openStream: openCodexStream,
  sessionFiles: codexSession,
});
