// Reads diagrams with mermaid itself, and with wtool: node try.mjs WTOOL FILE...
//
// Every ```mermaid block of the files counts, even within longer fences. In constructs.md, mermaid must refuse the
// blocks below a heading that begins with "Only wtool", and wtool must refuse those below "Only mermaid". A block that
// is accepted there is reported as well.
import {execFileSync} from 'node:child_process';
import {mkdtempSync, readFileSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {basename, join} from 'node:path';
import {JSDOM} from 'jsdom';

// Mermaid cleans texts with a library that wants a document.
const {window} = new JSDOM('');
globalThis.window = window;
globalThis.document = window.document;
const {default: mermaid} = await import('mermaid');

function blocksOf(text) {
  const blocks = [];
  let heading = '';
  let open = null;
  for (const [index, line] of text.split('\n').entries()) {
    const fence = /^\s*(`{3,})(.*)$/.exec(line);
    if (open) {
      if (fence && fence[2].trim() === '') {
        blocks.push(open);
        open = null;
      } else {
        open.text += line + '\n';
      }
    } else if (fence && fence[2].trim() === 'mermaid') {
      open = {line: index + 1, heading, text: ''};
    } else if (/^#+ /.test(line)) {
      heading = line.replace(/^#+ /, '');
    }
  }
  return blocks;
}

async function refusedByMermaid(text) {
  try {
    await mermaid.parse(text);
    return null;
  } catch (error) {
    return error.message;
  }
}

function refusedByWtool(program, text) {
  const folder = mkdtempSync(join(tmpdir(), 'wtool-mermaid-'));
  try {
    const file = join(folder, 'diagram.md');
    writeFileSync(file, '```mermaid\n' + text + '```\n');
    execFileSync(program, ['lint', file], {encoding: 'utf8', stdio: 'pipe'});
    return null;
  } catch (error) {
    return (error.stdout || '') + (error.stderr || '') || error.message;
  } finally {
    rmSync(folder, {recursive: true});
  }
}

const [program, ...files] = process.argv.slice(2);
let wrong = 0;
let count = 0;
for (const file of files) {
  const constructs = basename(file) === 'constructs.md';
  for (const block of blocksOf(readFileSync(file, 'utf8'))) {
    ++count;
    const problems = [];
    const judge = (who, refusal, wanted) => {
      if (wanted && refusal !== null) problems.push(`${who} refuses it: ${refusal}`);
      if (!wanted && refusal === null) problems.push(`${who} accepts it now`);
    };
    judge('mermaid', await refusedByMermaid(block.text), !(constructs && block.heading.startsWith('Only wtool')));
    // In workflows and pages the diagrams are those of whole workflows, which other tests check.
    if (constructs) judge('wtool', refusedByWtool(program, block.text), !block.heading.startsWith('Only mermaid'));
    for (const problem of problems) console.log(`${file}:${block.line}: ${problem}\n${block.text}`);
    wrong += problems.length > 0 ? 1 : 0;
  }
}
console.log(`${count} diagrams, ${wrong} of them not as expected`);
process.exit(wrong > 0 ? 1 : 0);
