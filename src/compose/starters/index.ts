import { cliToolStarter } from './cli-tool.ts';
import { conversationStarter } from './conversation.ts';
import { mcpServerStarter } from './mcp-server.ts';
import { skillStarter } from './skill.ts';
import type { Starter } from './starter.ts';
import { toolStarter } from './tool.ts';

/** Every starter project; the first is the default. */
export const starters: readonly Starter[] = [
  toolStarter,
  cliToolStarter,
  skillStarter,
  conversationStarter,
  mcpServerStarter,
];
