import { geminiPrompt, geminiSettings } from '../gemini/gemini-settings.ts';
import { writeHomeFile } from '../home-files.ts';
import { setVariables } from '../set-variables.ts';
import { defineStreamAgent } from '../stream-agent.ts';
import { openQwenStream } from './qwen-stream.ts';

/** Qwen Code of Alibaba. */
export const qwen = defineStreamAgent({
  name: 'qwen',
  summary: 'Qwen Code of Alibaba with any model that is spoken to like OpenAI, run with -p',
  program: 'qwen',
  versionArguments: ['--version'],
  install: 'npm install -g @qwen-code/qwen-code',
  inheritedVariables: ['OPENAI_API_KEY', 'OPENAI_BASE_URL', 'OPENAI_MODEL'],
  keyVariables: ['OPENAI_API_KEY'],
  reports: { work: 'live', usage: 'live' },
  limitsTurns: true,

  async launch(session) {
    const { settings } = session;
    await writeHomeFile(session.home, '.qwen/settings.json', geminiSettings(session, 'openai'));
    const { args, stdin } = geminiPrompt(session.prompt);
    const argv: [string, ...string[]] = [
      session.program,
      ...['--auth-type', 'openai', '--output-format', 'stream-json', '--approval-mode', 'yolo'],
      ...settings.args,
      ...args,
    ];
    const env = setVariables({
      OPENAI_MODEL: session.model,
      OPENAI_BASE_URL: settings.baseUrl,
      OPENAI_API_KEY: settings.apiKey,
    });
    return { argv, env, stdin };
  },

  openStream: openQwenStream,
});
