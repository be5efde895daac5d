// Runs in a world of its own beside the scripts of a page, which cannot change what it finds.
const skipped = new Set(['SCRIPT', 'STYLE', 'NOSCRIPT', 'TEMPLATE', 'HEAD']);
const usable =
  'a[href],button,input,select,textarea,summary,[role=button],[role=link],[role=checkbox],[role=radio],[role=switch],[role=tab],[role=menuitem],[role=option],[contenteditable=""],[contenteditable=true],[onclick]';
const mostElements = 1000;
const mostChars = 200_000;
// Numbers of elements hold until the page is read again.
globalThis.assayElements ??= [];

const isVisible = (element) =>
  element.checkVisibility({ visibilityProperty: true, opacityProperty: true }) && element.getClientRects().length > 0;

const oneLine = (text) => (text ?? '').replace(/\s+/g, ' ').trim();

const nameOf = (element) => {
  const labels = [...(element.labels ?? [])].map((label) => label.innerText).join(' ');
  const isField = element.matches('input,select,textarea');
  const own = isField ? '' : element.innerText;
  const alt = [...element.querySelectorAll('img[alt]')].map(({ alt: text }) => text).join(' ');
  const button = element.matches('input[type=submit],input[type=button],input[type=reset]') ? element.value : '';
  const candidates = [element.ariaLabel, labels, button, own, element.placeholder, alt, element.title, element.name];
  return oneLine(candidates.find((text) => oneLine(text) !== '')).slice(0, 200);
};

const kindOf = (element) => {
  const role = element.getAttribute('role');
  if (role) return role;
  if (element.tagName === 'A') return 'link';
  if (element.tagName === 'INPUT') return /^(text|)$/.test(element.type) ? 'field' : element.type;
  return element.tagName === 'TEXTAREA' || element.isContentEditable ? 'field' : element.tagName.toLowerCase();
};

const stateOf = (element) => {
  const parts = [];
  if (element.tagName === 'SELECT') {
    const options = [...element.options].map((option) => `${option.selected ? '*' : ''}${oneLine(option.text)}`);
    parts.push(`options: ${options.slice(0, 30).join(' | ')}`);
  } else if (/^(checkbox|radio)$/.test(element.type)) {
    if (element.checked) parts.push('checked');
  } else if (element.matches('input,textarea') && element.value !== '' && !/^(submit|button|reset)$/.test(element.type))
    parts.push(element.type === 'password' ? 'filled' : `"${oneLine(element.value).slice(0, 200)}"`);
  if (element.ariaChecked === 'true' || element.ariaSelected === 'true') parts.push('chosen');
  if (element.disabled || element.ariaDisabled === 'true') parts.push('disabled');
  return parts.length === 0 ? '' : ` ${parts.join(', ')}`;
};

const read = () => {
  const lines = [];
  let text = '';
  globalThis.assayElements = [];
  const flush = () => {
    if (oneLine(text) !== '') lines.push(oneLine(text));
    text = '';
  };
  const walk = (node) => {
    if (node.nodeType === Node.TEXT_NODE) {
      text += node.data;
      return;
    }
    if (node.nodeType !== Node.ELEMENT_NODE && !(node instanceof ShadowRoot)) return;
    const isElement = node.nodeType === Node.ELEMENT_NODE;
    if (isElement && (skipped.has(node.tagName) || !node.checkVisibility({ visibilityProperty: true }))) return;
    if (isElement && node.matches(usable)) {
      flush();
      globalThis.assayElements.push(node);
      lines.push(`[${globalThis.assayElements.length}] ${kindOf(node)} "${nameOf(node)}"${stateOf(node)}`);
      return;
    }
    const isBlock = isElement && !/^(inline|contents)/.test(getComputedStyle(node).display);
    if (isBlock) flush();
    if (isElement && /^H[1-6]$/.test(node.tagName)) text += `${'#'.repeat(Number(node.tagName[1]))} `;
    if (isElement && node.tagName === 'IMG' && node.alt) text += ` (picture: ${node.alt}) `;
    for (const child of (node.shadowRoot ?? node).childNodes) walk(child);
    if (isBlock) flush();
  };
  if (document.body) walk(document.body);
  flush();
  return { url: location.href, title: document.title, lines };
};

const elementOf = (number) => {
  const element = globalThis.assayElements[number - 1];
  if (!element?.isConnected) throw new Error(`There is no element ${number} on the page now. Read the page again.`);
  if (element.disabled) throw new Error(`Element ${number} is disabled.`);
  return element;
};

const point = (number) => {
  const element = elementOf(number);
  element.scrollIntoView({ block: 'center', inline: 'center', behavior: 'instant' });
  const { left, top, width, height } = element.getBoundingClientRect();
  const at = { x: left + width / 2, y: top + height / 2 };
  let hit = document.elementFromPoint(at.x, at.y);
  while (hit?.shadowRoot?.elementFromPoint(at.x, at.y)) hit = hit.shadowRoot.elementFromPoint(at.x, at.y);
  if (!hit || !(element.contains(hit) || hit.contains(element)))
    throw new Error(
      `Element ${number} is covered by ${hit ? `<${hit.tagName.toLowerCase()}>` : 'nothing that can be seen'}.`,
    );
  return at;
};

const focus = (number) => {
  const element = elementOf(number);
  element.scrollIntoView({ block: 'center', behavior: 'instant' });
  element.focus();
  if (element.isContentEditable) getSelection().selectAllChildren(element);
  else if (typeof element.select === 'function') element.select();
  else throw new Error(`Element ${number} takes no text.`);
  return null;
};

const choose = (number, wanted) => {
  const element = elementOf(number);
  const option = [...(element.options ?? [])].find(({ value, text }) => value === wanted || oneLine(text) === wanted);
  if (!option) throw new Error(`Element ${number} has no option "${wanted}".`);
  element.value = option.value;
  for (const type of ['input', 'change']) element.dispatchEvent(new Event(type, { bubbles: true }));
  return null;
};

const textIn = (element) =>
  element.matches('input,select,textarea') ? element.value : (element.innerText ?? element.textContent ?? '');

const look = (selector, keys) => {
  const text = document.body?.innerText ?? document.documentElement?.textContent ?? '';
  const matched = selector === null ? [] : [...document.querySelectorAll(selector)];
  let left = mostChars;
  const elements = matched.slice(0, mostElements).map((element) => {
    const whole = textIn(element);
    left -= whole.length;
    return { text: whole.slice(0, Math.max(0, left + whole.length)).trim(), visible: isVisible(element) };
  });
  return {
    url: location.href,
    title: document.title,
    ready: document.readyState === 'complete',
    text: text.slice(0, mostChars),
    cut: text.length > mostChars || matched.length > mostElements || left < 0,
    ...(selector !== null && { elements }),
    localStorage: Object.fromEntries(keys.map((key) => [key, localStorage.getItem(key)])),
  };
};

globalThis.assayPage = {
  read,
  point,
  focus,
  choose,
  look,
  hasText: (text) => (document.body?.innerText ?? '').includes(text),
};
