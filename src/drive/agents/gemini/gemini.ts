import { writeHomeFile } from '../home-files.ts';
import { setVariables } from '../set-variables.ts';
import { defineStreamAgent } from '../stream-agent.ts';
import { geminiSession } from './gemini-session.ts';
import { geminiPrompt, geminiSettings } from './gemini-settings.ts';
import { openGeminiStream } from './gemini-stream.ts';

/** Gemini CLI of Google. */
export const gemini = defineStreamAgent({
  name: 'gemini',
  summary: 'Gemini CLI of Google, run with -p',
  program: 'gemini',
  versionArguments: ['--version'],
  oldestVersion: '0.11.0',
  install: 'npm install -g @google/gemini-cli',
  inheritedVariables: ['GEMINI_API_KEY', 'GOOGLE_GEMINI_BASE_URL', 'GEMINI_MODEL'],
  keyVariables: ['GEMINI_API_KEY'],
  reports: { work: 'live', usage: 'live' },
  limitsTurns: true,

  async launch(session) {
    const { settings, model } = session;
    await writeHomeFile(session.home, '.gemini/settings.json', geminiSettings(session, 'gemini-api-key'));
    const { args, stdin } = geminiPrompt(session.prompt);
    const argv: [string, ...string[]] = [
      session.program,
      ...['--output-format', 'stream-json', '--approval-mode', 'yolo'],
      ...(model === undefined ? [] : ['-m', model]),
      ...settings.args,
      ...args,
    ];
    const reached = setVariables({ GOOGLE_GEMINI_BASE_URL: settings.baseUrl, GEMINI_API_KEY: settings.apiKey });
    return { argv, env: { GEMINI_CLI_TRUST_WORKSPACE: 'true', ...reached }, stdin };
  },

  openStream: openGeminiStream,
  sessionFiles: geminiSession,
});
