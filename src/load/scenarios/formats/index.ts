import type { ScenarioFormat } from '../scenario-format.ts';
import { conversationFormat } from './conversation/conversation-format.ts';
import { llmToolTestFormat } from './llm-tool-test/llm-tool-test-format.ts';
import { mcpServerFormat } from './mcp-server/mcp-server-format.ts';
import { nativeFormat } from './native/native-format.ts';
import { promptfooFormat } from './promptfoo/promptfoo-format.ts';
import { skillEvalsFormat } from './skill-evals/skill-evals-format.ts';
import { taskFolderFormat } from './task-folder/task-folder-format.ts';

/** Every known file format; the first that recognises a file reads it, and those that look more closely come first. */
export const scenarioFormats: readonly ScenarioFormat[] = [
  mcpServerFormat,
  skillEvalsFormat,
  llmToolTestFormat,
  promptfooFormat,
  conversationFormat,
  taskFolderFormat,
  nativeFormat,
];
