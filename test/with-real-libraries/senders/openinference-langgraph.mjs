import { LangChainInstrumentation } from '@arizeai/openinference-instrumentation-langchain';
import * as callbacks from '@langchain/core/callbacks/manager';
import { askGraph } from './langgraph.mjs';
import { provider } from './telemetry.mjs';
import { putQuestions } from './weather.mjs';

new LangChainInstrumentation({ tracerProvider: provider }).manuallyInstrument(callbacks);

await putQuestions(askGraph);
await provider.shutdown();
