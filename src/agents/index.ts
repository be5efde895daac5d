import type { AgentKind } from './agent.ts';
import { claudeCode } from './claude-code/claude-code.ts';
import { codex } from './codex/codex.ts';
import { gemini } from './gemini/gemini.ts';
import { qwen } from './qwen/qwen.ts';
import { scripted } from './scripted/scripted.ts';

/** Every kind of agent that there is. */
export const agentKinds: readonly AgentKind[] = [claudeCode, codex, gemini, qwen, scripted];
