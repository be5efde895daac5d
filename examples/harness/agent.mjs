#!/usr/bin/env node
// Stands in for Claude Code: reads what it is handed as Claude Code does, and prints the same lines. It needs no model.
import { execSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

const { values } = parseArgs({
  strict: false,
  options: {
    version: { type: 'boolean' },
    'include-hook-events': { type: 'boolean' },
    'permission-mode': { type: 'string', default: 'bypassPermissions' },
    'plugin-dir': { type: 'string', multiple: true, default: [] },
    settings: { type: 'string' },
  },
});
if (values.version) {
  console.log('2.1.197 (Claude Code)');
  process.exit();
}

const print = (line) => console.log(JSON.stringify(line));
const readJson = (file) => (existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {});
const namesIn = (folder) => (existsSync(folder) ? readdirSync(folder).map((file) => file.replace(/\.md$/, '')) : []);

const plugins = values['plugin-dir'].map((path) => ({ path, ...readJson(join(path, '.claude-plugin/plugin.json')) }));
const agents = [
  ...namesIn(join(process.env.HOME, '.claude/agents')),
  ...plugins.flatMap(({ name, path }) => namesIn(join(path, 'agents')).map((agent) => `${name}:${agent}`)),
];
// Like Claude Code, it ignores the whole file where a setting has the wrong type, and says nothing.
const written = values.settings ? readJson(values.settings) : {};
const settings = typeof (written.cleanupPeriodDays ?? 1) === 'number' ? written : {};

const runHooks = (event, tool) => {
  for (const { matcher = '', hooks } of settings.hooks?.[event] ?? []) {
    if (tool && matcher && matcher !== tool) continue;
    for (const { command } of hooks) {
      const output = execSync(`{ ${command}\n} 2>&1`).toString();
      if (values['include-hook-events'])
        print({ type: 'system', subtype: 'hook_response', hook_event: event, hook_name: event, output, exit_code: 0 });
    }
  }
};

runHooks('SessionStart');
print({
  ...{ type: 'system', subtype: 'init', session_id: 's', tools: ['Write'], plugins, agents },
  ...{ permissionMode: values['permission-mode'], output_style: settings.outputStyle ?? 'default' },
});
const call = { type: 'tool_use', id: 'c1', name: 'Write', input: { file_path: 'NOTES.md' } };
if (values['permission-mode'] !== 'plan') {
  print({ type: 'assistant', message: { id: 'm1', content: [call], usage: {} } });
  writeFileSync('NOTES.md', agents.includes('reviewer') ? 'Release 2.0\nReviewed\n' : 'Release 2.0\n');
  runHooks('PostToolUse', 'Write');
  print({ type: 'user', message: { content: [{ type: 'tool_result', tool_use_id: 'c1', content: 'written' }] } });
}
print({ type: 'assistant', message: { id: 'm2', content: [{ type: 'text', text: 'Done.' }], usage: {} } });
print({ type: 'result', subtype: 'success', is_error: false, num_turns: 2, result: 'Done.', usage: {} });
