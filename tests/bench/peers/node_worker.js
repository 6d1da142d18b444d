// The worker for Node's child_process: way.h describes its protocol.
// Usage: node node_worker.js spawnSync|spawn|execFile HOST_MB PROGRAM ARGUMENT...
'use strict';
const {execFile, spawn, spawnSync} = require('child_process');
const readline = require('readline');

const [way, megabytes, program, ...words] = process.argv.slice(2);
const touched = Buffer.alloc(Number(megabytes) * 1024 * 1024, 1);

function withSync() {
  const result = spawnSync(program, words, {stdio: ['ignore', 'pipe', 'pipe']});
  if (result.status !== 0) throw new Error(`${program} failed`);
}

function withEvents() {
  return new Promise((resolve, reject) => {
    const child = spawn(program, words, {stdio: ['ignore', 'pipe', 'pipe']});
    const chunks = [];
    child.stdout.on('data', (chunk) => chunks.push(chunk));
    child.stderr.on('data', (chunk) => chunks.push(chunk));
    child.on('error', reject);
    child.on('close', (status) => (status === 0 ? resolve() : reject(new Error(`${program} failed`))));
  });
}

function withCallback() {
  return new Promise((resolve, reject) => {
    execFile(program, words, (error) => (error ? reject(error) : resolve()));
  });
}

async function main() {
  const once = {spawn: withEvents, execFile: withCallback, spawnSync: withSync}[way];
  console.log('ready');
  for await (const line of readline.createInterface({input: process.stdin})) {
    const figures = [];
    try {
      for (let i = 0; i < Number(line.split(' ')[1]); ++i) {
        const began = process.hrtime.bigint();
        await once();
        figures.push(process.hrtime.bigint() - began);
      }
      console.log('took', figures.join(' '));
    } catch (error) {
      console.log('failed', error.message);
    }
  }
  return touched.length;
}

main();
