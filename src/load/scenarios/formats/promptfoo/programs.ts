import { shellQuoted } from '../../../../shared/shell-words.ts';

/**
 * Programs around code that was written for promptfoo. A part of promptfoo's `context` that Assay cannot give raises an
 * error where it is read: code that is given less could decide something else.
 */

const loadPython = `import asyncio, importlib.util, inspect, json, os, sys
out = sys.stdout
sys.stdout = sys.stderr
class Missing(dict):
    def __init__(self, name, known):
        super().__init__(known)
        self.name = name
    def __missing__(self, key):
        raise RuntimeError("%s[%r] has no equal in Assay" % (self.name, key))
    def get(self, key, default=None):
        return self[key]
    def __contains__(self, key):
        self[key]
        return True
def load(path, name):
    sys.path.insert(0, os.path.dirname(os.path.abspath(path)))
    spec = importlib.util.spec_from_file_location("assay_user_code", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return getattr(module, name)
def call(function, *args):
    value = function(*args)
    return asyncio.run(value) if inspect.isawaitable(value) else value
def give(value):
    out.write(json.dumps(value))
    out.flush()
`;

const pythonProvider = `${loadPython}path, name, config, is_chat, prompt = sys.argv[1:6]
if is_chat == "1":
    prompt = json.dumps([{"role": m["role"], "content": m["content"]} for m in json.load(sys.stdin)["messages"]])
result = call(load(path, name), prompt, Missing("options", {"config": json.loads(config)}), Missing("context", {}))
if not isinstance(result, dict):
    sys.exit("%s() of %s returned no dictionary" % (name, path))
if result.get("error"):
    sys.exit(str(result["error"]))
if result.get("output") is None:
    sys.exit("%s() of %s returned no output" % (name, path))
give({"output": result["output"]})
`;

const pythonAssertion = `${loadPython}given = json.load(sys.stdin)
options = given["options"]
output = given["answer"]
answers = [m for m in given["messages"] if m["role"] == "assistant"]
if answers and isinstance(answers[-1].get("metadata"), dict) and answers[-1]["metadata"].get("isData") is True:
    output = json.loads(output)
messages = [m for m in given["messages"] if m["role"] != "assistant"]
prompt = messages[0]["content"] if len(messages) == 1 else json.dumps([{"role": m["role"], "content": m["content"]} for m in messages])
context = Missing("context", {"vars": given["case"]["input"] or {}, "prompt": prompt, "config": options["config"]})
if options["path"]:
    value = call(load(options["path"], options["name"]), output, context)
else:
    names = {"output": output, "context": context, "json": json}
    code = options["code"].strip()
    lines = code.split("\\n") if "\\n" in code else ["return (" + code + ")"]
    exec("def main(output, context):\\n" + "\\n".join("    " + line for line in lines), names)
    value = names["main"](output, context)
threshold, negated = options["threshold"], options["negate"]
code = (options.get("code") or "").strip()
shown = "The code" if "\\n" in code else "\`%s\`" % code[:200] if code else "%s() in %s" % (options["name"], options["path"])
reason = None
if isinstance(value, str):
    value = {"true": True, "false": False}.get(value.strip().lower(), value)
if isinstance(value, str):
    value = float(value)
if isinstance(value, bool):
    passed, score = value != negated, float(value != negated)
elif isinstance(value, (int, float)):
    passed, score = (value > 0 if threshold is None else value >= threshold) != negated, value
elif isinstance(value, dict):
    passed = value["pass"] if "pass" in value else value["pass_"]
    score = value.get("score", 1.0 if passed else 0.0)
    reason = value.get("reason")
    if threshold is not None and score < threshold:
        passed = False
    passed = passed != negated
else:
    sys.exit("the code returned %r, which is not a verdict" % (value,))
give({"passed": bool(passed), "score": score, "message": reason or "%s returned %s" % (shown, json.dumps(value))})
`;

const javascriptProvider = `import { pathToFileURL } from 'node:url';
import { resolve } from 'node:path';
import { readFileSync } from 'node:fs';
import { argv, exit, stderr, stdout } from 'node:process';
const [path, name, config, isChat, prompt] = argv.slice(1);
const write = stdout.write.bind(stdout);
stdout.write = stderr.write.bind(stderr);
const fail = (why) => { console.error(why); exit(1); };
const missing = (what, known) => new Proxy(known, { get(target, key) {
  if (typeof key === 'symbol' || key in target) return target[key];
  throw new Error(what + '.' + String(key) + ' has no equal in Assay');
} });
let text = prompt;
if (isChat === '1') text = JSON.stringify(JSON.parse(readFileSync(0, 'utf8')).messages.map(({ role, content }) => ({ role, content })));
const module = await import(pathToFileURL(resolve(path)));
let Provider = name === 'default' ? (module.default?.default ?? module.default) : (module[name] ?? module.default?.[name]);
if (typeof Provider !== 'function') fail(path + ' exports no class ' + name);
const provider = new Provider(missing('options', { id: undefined, config: JSON.parse(config) }));
if (typeof provider.callApi !== 'function') fail('the provider of ' + path + ' has no callApi()');
const result = await provider.callApi(text, missing('context', {}), undefined);
if (result?.error) fail(String(result.error));
if (result?.output === undefined || result.output === null) fail('callApi() of ' + path + ' returned no output');
write(JSON.stringify({ output: result.output }), () => exit(0));
`;

const python = '"${PROMPTFOO_PYTHON:-python3}"';

/** Code of the user that is called for each prompt. */
interface CalledCode {
  readonly path: string;
  readonly name: string;
  readonly config: unknown;
  readonly isChat: boolean;
}

/** Shell command that calls a provider in Python or JavaScript; it prints `{ output }`. */
export function providerCommand({ path, name, config, isChat }: CalledCode): string {
  const isPython = /\.py$/i.test(path);
  const start = isPython
    ? `${python} -c ${shellQuoted(pythonProvider)}`
    : `node --input-type=module -e ${shellQuoted(javascriptProvider)} --`;
  const args = [path, name, JSON.stringify(config ?? {}), isChat ? '1' : ''];
  return `${start} ${args.map(shellQuoted).join(' ')}`;
}

/** Shell command of an assertion in Python; its code is in the options of the evaluator. */
export const pythonAssertionCommand = `${python} -c ${shellQuoted(pythonAssertion)}`;
