import { defineGate } from './gate.ts';
import { noConfig } from './gate-configs.ts';

/** No command that the agent gave to the tool under test failed. */
export const noTranscriptErrors = defineGate({
  type: 'no_transcript_errors',
  label: 'No transcript errors',
  summary: 'no command of the tool under test exited with anything but 0',
  configSchema: noConfig,
  loadCheck: async () => (await import('./checks/no-transcript-errors.ts')).checkNoTranscriptErrors,
});
