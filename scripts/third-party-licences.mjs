import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));

const allowed = ['0BSD', 'Apache-2.0', 'BSD-2-Clause', 'BSD-3-Clause', 'ISC', 'MIT'];

const introduction = `Assay contains code of the packages below, each under the licence that follows its name.
`;

/** The licence texts of packages in the given folders. Throws when one is missing or not allowed. */
export function thirdPartyLicences(folders) {
  const packages = folders.map(readPackage);
  const problems = packages.flatMap(({ problem }) => problem ?? []);
  if (problems.length > 0) throw new Error(`Licences of bundled packages:\n${problems.join('\n')}`);
  const namesByText = new Map();
  for (const { name, version, licence, text } of packages) {
    const names = namesByText.get(text) ?? new Set();
    namesByText.set(text, names.add(`${name} ${version} (${licence})`));
  }
  const sections = [...namesByText].map(([text, names]) => `${[...names].join('\n')}\n\n${text}\n`);
  const standardTexts = packages.some(({ licence }) => licence === 'Apache-2.0') ? [apacheText()] : [];
  return [introduction, ...sections, ...standardTexts].join(`\n${'='.repeat(80)}\n\n`);
}

function readPackage(folder) {
  const { name, version, license: licence } = JSON.parse(readFileSync(resolve(root, folder, 'package.json'), 'utf8'));
  const texts = [licenceText(folder), noticeText(folder)];
  if (!allowed.includes(licence))
    return { problem: `${name} ${version} has the licence ${licence}, not one of ${allowed.join(', ')}.` };
  if (texts[0] === undefined) return { problem: `${name} ${version} has no licence text.` };
  return { name, version, licence, text: texts.filter(Boolean).join('\n\n') };
}

/** Bundlers also list what they themselves bundle; only code that they generate is in ours. */
const notOurs = /^# Licenses of bundled dependencies$/m;

function licenceText(folder) {
  const text = textOf(folder, /^(licen[cs]e|copying)\b/i) ?? licenceSectionOfReadme(folder);
  return text?.split(notOurs)[0].trim();
}

function noticeText(folder) {
  return textOf(folder, /^notice\b/i);
}

function textOf(folder, name) {
  const files = readdirSync(resolve(root, folder)).filter((file) => name.test(file));
  return files.length === 0 ? undefined : files.map((file) => readText(resolve(root, folder, file))).join('\n\n');
}

/** Some packages write the text into their README instead of a file. */
function licenceSectionOfReadme(folder) {
  const readme = readdirSync(resolve(root, folder)).find((file) => /^readme\b/i.test(file));
  const section =
    readme && /^#+ *licen[cs]e\s*$(?<text>[\s\S]*)/im.exec(readText(resolve(root, folder, readme)))?.groups.text;
  return section && /copyright/i.test(section) && /permission is hereby granted/i.test(section)
    ? section.trim()
    : undefined;
}

function apacheText() {
  return readText(join(root, 'scripts', 'licences', 'Apache-2.0.txt'));
}

function readText(file) {
  return readFileSync(file, 'utf8').replaceAll('\r\n', '\n').trim();
}
