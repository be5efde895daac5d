import { acp } from './acp/acp.ts';
import type { AgentKind } from './agent.ts';
import { claudeCode } from './claude-code/claude-code.ts';
import { cline } from './cline/cline.ts';
import { codex } from './codex/codex.ts';
import { command } from './command.ts';
import { continueAgent } from './continue/continue.ts';
import { copilot } from './copilot/copilot.ts';
import { gemini } from './gemini/gemini.ts';
import { kimi } from './kimi/kimi.ts';
import { opencode } from './opencode/opencode.ts';
import { pi } from './pi/pi.ts';
import { qwen } from './qwen/qwen.ts';
import { scripted } from './scripted/scripted.ts';

/** Every kind of agent that there is. */
export const agentKinds: readonly AgentKind[] = [
  claudeCode,
  codex,
  opencode,
  gemini,
  qwen,
  pi,
  copilot,
  kimi,
  cline,
  continueAgent,
  acp,
  command,
  scripted,
];
