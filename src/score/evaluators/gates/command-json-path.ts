import { defineGate } from './gate.ts';
import { jsonPathConfig } from './gate-configs.ts';

/** The JSON that a shell command prints holds a value of which something is true. */
export const commandJsonPath = defineGate({
  type: 'command_json_path',
  label: 'Command JSON path',
  summary: 'a shell command exits with 0, and the value at a JSONPath of its JSON is as asserted',
  example: { command: 'tasks list --json', path: '$.tasks', assertion: 'len >= 2' },
  configSchema: jsonPathConfig,
  loadCheck: async () => (await import('./checks/command-json-path.ts')).checkCommandJsonPath,
});
