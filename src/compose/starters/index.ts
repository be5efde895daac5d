import cliToolAgent from './cli-tool/agent.yaml?raw';
import cliToolConfig from './cli-tool/assay.config.yaml?raw';
import cliToolClear from './cli-tool/clear.md?raw';
import cliToolNotes from './cli-tool/notes?raw';
import cliToolReadme from './cli-tool/README.md?raw';
import cliToolTakeNotes from './cli-tool/take-notes.yaml?raw';
import cliToolTerse from './cli-tool/terse.md?raw';
import conversationAgent from './conversation/agent.mjs?raw';
import conversationConfig from './conversation/assay.config.yaml?raw';
import conversationBooking from './conversation/booking.yaml?raw';
import mcpServerCalculator from './mcp-server/calculator.yaml?raw';
import mcpServerServer from './mcp-server/server.mjs?raw';
import skillAgent from './skill/agent.yaml?raw';
import skillNotes from './skill/notes.txt?raw';
import skillSkill from './skill/SKILL.md?raw';
import skillTriggers from './skill/triggers.yaml?raw';
import skillWriteMinutes from './skill/write-minutes.yaml?raw';
import toolConfig from './tool/assay.config.yaml?raw';
import toolSearchOrders from './tool/search-orders.mjs?raw';
import toolScenario from './tool/search-orders.yaml?raw';

interface StarterFile {
  readonly path: string;
  readonly purpose: string;
  readonly text: string;
  readonly isExecutable?: boolean;
}

/** A starter project that `assay init` writes. */
export interface Starter {
  readonly kind: string;
  readonly summary: string;
  readonly files: readonly StarterFile[];
}

/** Every starter project, whose files lie in the folder of its kind; the first is the default. */
export const starters: readonly Starter[] = [
  {
    kind: 'tool',
    summary: 'a tool that is called directly: a function, a command or an HTTP endpoint',
    files: [
      { path: 'assay.config.yaml', purpose: 'defaults of the project', text: toolConfig },
      { path: 'scenarios/search-orders.yaml', purpose: 'a scenario with four cases', text: toolScenario },
      { path: 'tools/search-orders.mjs', purpose: 'the tool under test', text: toolSearchOrders },
    ],
  },
  {
    kind: 'cli-tool',
    summary: 'a command-line tool that a coding agent uses to do a task',
    files: [
      { path: 'assay.config.yaml', purpose: 'defaults of the project', text: cliToolConfig },
      { path: 'agent.yaml', purpose: 'what the scripted agent does', text: cliToolAgent },
      {
        path: 'scenarios/take-notes.yaml',
        purpose: 'a task, two versions of AGENTS.md, and gates',
        text: cliToolTakeNotes,
      },
      { path: 'guidance/terse.md', purpose: 'AGENTS.md that says little', text: cliToolTerse },
      { path: 'guidance/clear.md', purpose: 'AGENTS.md with an example', text: cliToolClear },
      {
        path: 'template/README.md',
        purpose: 'the work directory, of which each trial gets a copy',
        text: cliToolReadme,
      },
      { path: 'bin/notes', purpose: 'the tool under test', text: cliToolNotes, isExecutable: true },
    ],
  },
  {
    kind: 'skill',
    summary: 'a skill (a folder with SKILL.md) that a coding agent should use when it fits',
    files: [
      { path: 'assay.config.yaml', purpose: 'defaults of the project', text: cliToolConfig },
      { path: 'agent.yaml', purpose: 'what the scripted agent does', text: skillAgent },
      {
        path: 'scenarios/write-minutes.yaml',
        purpose: 'a task with the skill and without it, and gates',
        text: skillWriteMinutes,
      },
      {
        path: 'scenarios/triggers.yaml',
        purpose: 'prompts that should and should not trigger it',
        text: skillTriggers,
      },
      { path: 'skills/meeting-notes/SKILL.md', purpose: 'the skill under test', text: skillSkill },
      { path: 'template/notes.txt', purpose: 'the work directory, of which each trial gets a copy', text: skillNotes },
    ],
  },
  {
    kind: 'conversation',
    summary: 'a conversational agent, over several turns',
    files: [
      { path: 'assay.config.yaml', purpose: 'defaults of the project', text: conversationConfig },
      { path: 'scenarios/booking.yaml', purpose: 'a conversation, assertions and metrics', text: conversationBooking },
      { path: 'agent.mjs', purpose: 'the agent under test', text: conversationAgent },
    ],
  },
  {
    kind: 'mcp-server',
    summary: 'an MCP server: its tools called directly, or by a model',
    files: [
      { path: 'assay.config.yaml', purpose: 'defaults of the project', text: conversationConfig },
      { path: 'scenarios/calculator.yaml', purpose: 'the server and tests of its tools', text: mcpServerCalculator },
      { path: 'server.mjs', purpose: 'the MCP server under test', text: mcpServerServer },
    ],
  },
];
