import type { Starter } from './starter.ts';

const skill = `---
name: meeting-notes
description: Turns rough notes of a meeting into minutes. Use it when minutes are wanted, not for other questions about notes.
---

# Minutes of a meeting

Write the minutes into MINUTES.md, with one heading for each topic of notes.txt.

- Every decision is a line that begins with "Decision:".
- Every open task is a line that begins with "Task:" and names who does it.
`;

const scenario = `# Does the skill help? The same task with it and without it.
# Check the file with: assay validate
name: Write minutes
description: An agent writes the minutes of a meeting, with the skill and without it
template_folder: ../template
task:
  prompt: Write the minutes of the meeting in notes.txt.
skills:
  with: ../skills/meeting-notes
  without: null
evaluation:
  gates:
    - { type: file_contains, path: MINUTES.md, substring: Friday }
    - { type: file_contains, path: MINUTES.md, substring: Ada }
evaluators:
  - type: skill-used
`;

const triggers = `# Is the skill used when it should be, and only then? One case for each prompt.
name: Triggers of meeting-notes
description: Prompts that should and should not make an agent use the skill
template_folder: ../template
skills: [../skills/meeting-notes]
triggers:
  should:
    - Write the minutes of the meeting in notes.txt.
    - Please turn notes.txt into minutes.
  should_not:
    # Near misses: about the same file, and no minutes are wanted.
    - How many lines does notes.txt have?
    - Who is mentioned in notes.txt?
`;

const agent = `# This agent follows a script, so it needs no key. With a real one installed: assay run --agent claude-code
# (\`assay agents\` lists the agents and what each needs.)
steps:
  - run: cat .agents/skills/meeting-notes/SKILL.md
    when: { prompt_contains: minutes, file: .agents/skills/meeting-notes/SKILL.md }
  - cat notes.txt
  - run: printf '# Release\\n\\nDecision. We ship on Friday\\nAda writes the announcement\\n' > MINUTES.md
    when: { prompt_contains: minutes, not: { file: .agents/skills/meeting-notes/SKILL.md } }
  - run: "printf '# Release\\n\\nDecision: We ship on Friday.\\nTask: Ada writes the announcement.\\n' > MINUTES.md"
    when: { prompt_contains: minutes, file: .agents/skills/meeting-notes/SKILL.md }
  - say: Done.
`;

const config = `# Defaults for this project. Every key: assay schema config
scenarios: [scenarios]
agent: scripted
agents:
  scripted: { script: agent.yaml }
`;

const notes = `release: we ship on friday, all agreed
announcement - ada
`;

/** A skill that an agent uses. */
export const skillStarter: Starter = {
  kind: 'skill',
  summary: 'a skill (a folder with SKILL.md) that a coding agent should use when it fits',
  files: [
    { path: 'assay.config.yaml', purpose: 'defaults of the project', text: config },
    { path: 'agent.yaml', purpose: 'what the scripted agent does', text: agent },
    {
      path: 'scenarios/write-minutes.yaml',
      purpose: 'a task with the skill and without it, and gates',
      text: scenario,
    },
    { path: 'scenarios/triggers.yaml', purpose: 'prompts that should and should not trigger it', text: triggers },
    { path: 'skills/meeting-notes/SKILL.md', purpose: 'the skill under test', text: skill },
    { path: 'template/notes.txt', purpose: 'the work directory, of which each trial gets a copy', text: notes },
  ],
};
