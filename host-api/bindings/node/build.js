// Compiles the addon with the system's C compiler, into build/wtool.node beside this file. Exits with 77 if Node's headers are missing.
'use strict';
const { execFileSync } = require('node:child_process');
const fs = require('node:fs');
const path = require('node:path');

function folderWith(header, folders) {
  return folders.find((folder) => fs.existsSync(path.join(folder, header)));
}

function fromPkgConfig() {
  try {
    return execFileSync('pkg-config', ['--variable=includedir', 'wtool'], { stdio: ['ignore', 'pipe', 'ignore'] }).toString().trim();
  } catch {
    return '';
  }
}

const prefix = path.dirname(path.dirname(fs.realpathSync(process.execPath)));
const nodeHeaders = folderWith('node_api.h', [
  path.join(prefix, 'include/node'),
  '/usr/include/node',
  '/usr/include/nodejs/src',
]);
if (nodeHeaders === undefined) {
  console.error(`wtool: there is no node_api.h in ${prefix}/include/node or /usr/include; install Node's headers (on Debian: libnode-dev)`);
  process.exit(77);
}
const headers = folderWith('wtool/tool.h', [path.join(__dirname, '../../include'), fromPkgConfig(), '/usr/local/include', '/usr/include']);
if (headers === undefined) {
  console.error('wtool: there is no wtool/tool.h; install the development files of wtool');
  process.exit(1);
}
fs.mkdirSync(path.join(__dirname, 'build'), { recursive: true });
try {
  execFileSync(
    process.env.CC || 'cc',
    ['-std=gnu11', '-O2', '-Wall', '-Wextra', '-Wshadow', '-fPIC', '-shared', '-pthread', '-DNAPI_VERSION=8', '-I', nodeHeaders, '-I', headers,
      '-o', path.join(__dirname, 'build/wtool.node'), path.join(__dirname, 'addon.c'), '-ldl'],
    { stdio: 'inherit' },
  );
} catch (problem) {
  console.error(`wtool: the addon could not be compiled: ${problem.message}`);
  process.exit(1);
}
