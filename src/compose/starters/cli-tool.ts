import type { Starter } from './starter.ts';

const tool = `#!/bin/sh
# The tool under test: replace it with yours.
case "$1" in
  add) [ "$2" = --text ] && [ -n "$3" ] || { echo "notes: --text is required, as in: notes add --text 'Buy milk'" >&2; exit 2; }
       echo "$3" >> notes.txt && echo "added" ;;
  list) cat notes.txt 2>/dev/null || echo "no notes" ;;
  --help|-h|help|'') printf 'notes add --text TEXT\\nnotes list\\n' ;;
  *) echo "notes: unknown command $1; see notes --help" >&2; exit 2 ;;
esac
`;

const scenario = `# One scenario: a tool, a task for an agent, and what must be true of the work that it leaves behind.
# Check the file with: assay validate
name: Take notes
description: An agent writes two notes with the notes tool
tags: [smoke]
target:
  binary: ../bin/notes
  command_pattern: 'notes\\s+(\\S+)'
template_folder: ../template
task:
  prompt: Write the two points of README.md down as notes, with the notes tool.
# The same task under two versions of AGENTS.md: which one helps?
guidance:
  terse: ../guidance/terse.md
  clear: ../guidance/clear.md
evaluation:
  gates:
    - { type: command_output_contains, command: notes list, substring: milk }
    - { type: command_output_matches, command: notes list, pattern: '(?i)call ada' }
`;

const agent = `# This agent follows a script, so it needs no key. With a real one installed: assay run --agent claude-code
# (\`assay agents\` lists the agents and what each needs.)
steps:
  - cat README.md AGENTS.md
  - run: notes add "Buy milk"
    when: { not: { file: AGENTS.md, contains: --text } }
  - run: notes --help
    when: { exit_code: 2 }
  - notes add --text "Buy milk"
  - notes add --text "Call Ada"
  - notes list
`;

const config = `# Defaults for this project. Every key: assay schema config
scenarios: [scenarios]
agent: scripted
agents:
  scripted: { script: agent.yaml }
`;

const readme = `# Today

- Buy milk
- Call Ada
`;

/** A CLI tool that an agent uses. */
export const cliToolStarter: Starter = {
  kind: 'cli-tool',
  summary: 'a command-line tool that a coding agent uses to do a task',
  files: [
    { path: 'assay.config.yaml', purpose: 'defaults of the project', text: config },
    { path: 'agent.yaml', purpose: 'what the scripted agent does', text: agent },
    { path: 'scenarios/take-notes.yaml', purpose: 'a task, two versions of AGENTS.md, and gates', text: scenario },
    { path: 'guidance/terse.md', purpose: 'AGENTS.md that says little', text: 'Use `notes` for notes.\n' },
    {
      path: 'guidance/clear.md',
      purpose: 'AGENTS.md with an example',
      text: "Write notes with `notes add --text 'Buy milk'`; `notes list` shows them.\n",
    },
    { path: 'template/README.md', purpose: 'the work directory, of which each trial gets a copy', text: readme },
    { path: 'bin/notes', purpose: 'the tool under test', text: tool, isExecutable: true },
  ],
};
