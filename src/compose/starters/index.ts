import { cliToolStarter } from './cli-tool.ts';
import { conversationStarter } from './conversation.ts';
import { mcpServerStarter } from './mcp-server.ts';
import { toolStarter } from './tool.ts';

interface StarterFile {
  readonly path: string;
  readonly purpose: string;
  readonly text: string;
  readonly isExecutable?: boolean;
}

/** Files of a starter project. */
export interface StarterKind {
  readonly kind: string;
  readonly summary: string;
  readonly files: readonly StarterFile[];
}

/** Every starter project; the first is the one that is made when none is named. */
export const starters: readonly StarterKind[] = [toolStarter, cliToolStarter, conversationStarter, mcpServerStarter];
