// Puts ikeru's questions to the program of the Ikerukana article, line by line (README.md):
//
//     c++ -O2 -I DIR/src/Library -I DIR/src/Solver -o ikerukana \
//         ikerukana.cpp DIR/src/Library/CSVLoader.cpp DIR/src/Solver/*DPSolver/*.cpp
#include <array>
#include <cstdio>
#include <iostream>
#include <set>
#include <string>
#include <vector>

#include "CSVLoader.hpp"

using Graph = std::vector<std::vector<int>>;

namespace solver {
const std::set<size_t> solveIkerukanaDP(const Graph &, const int &, const int &, const int &);
const std::array<std::set<int>, 2> solveIkerukanaDP(const Graph &, const std::vector<int> &, const int &, const int &,
                                                    const int &);
}

// What follows `"key":` in a line of JSON.
static std::string after(const std::string &line, const std::string &key) {
    const size_t at = line.find("\"" + key + "\":");
    return at == std::string::npos ? "" : line.substr(at + key.size() + 3);
}

template <typename Vertices> static std::string list(const Vertices &vertices) {
    std::string text;
    for (const auto vertex : vertices) text += (text.empty() ? "" : ",") + std::to_string(vertex);
    return "[" + text + "]";
}

int main() {
    // The program's own output would stand between the answers.
    std::cout.setstate(std::ios::failbit);
    Graph graph;
    std::vector<int> players;
    int holder = 0, steps = 0;
    bool god = false;
    std::string line;
    while (std::getline(std::cin, line)) {
        if (line.find("\"prepare\"") != std::string::npos) {
            const std::string path = after(line, "instance").substr(1);
            graph = loadGraphFromCSV(path.substr(0, path.find('"')), players, holder);
            steps = std::stoi(after(line, "steps"));
            god = after(line, "god").rfind("true", 0) == 0 && holder >= 0;
            puts("{\"ready\":true}");
        } else {
            const int count = static_cast<int>(graph.size());
            std::string answer;
            if (god) {
                const auto both = solver::solveIkerukanaDP(graph, players, holder, steps, count);
                std::set<int> all = both[0];
                all.insert(both[1].begin(), both[1].end());
                answer = "\"reachable\":" + list(all) + ",\"god_free\":" + list(both[0]);
            } else {
                answer = "\"reachable\":" + list(solver::solveIkerukanaDP(graph, players[0], steps, count));
            }
            printf("{\"answer\":{%s},\"proven\":true}\n", answer.c_str());
        }
        fflush(stdout);
    }
}
