// A solver of `trail`: depth-first search over all trails from the start, exact.
//
//     c++ -O2 -o trail trail.cpp
//     trail <puzzle.txt               answers once
//     trail --lines                   answers line by line, for protocol = "jsonl"
//
// It tells every better score as it finds it, so that a timeout has the best one.
#include <fstream>
#include <iostream>
#include <sstream>
#include <string>
#include <vector>

struct Edge { int to, index; char sign; long value; };

struct Puzzle {
    std::vector<std::vector<Edge>> edges;
    std::vector<int> route;
    int goal = 0, edge_count = 0;

    explicit Puzzle(std::istream& in) {
        int width = 0, height = 0;
        in >> width >> height;
        edges.resize(width * height);
        auto join = [&](int a, int b) {
            std::string word;
            in >> word;
            long value = std::stol(word.substr(1));
            edges[a].push_back({b, edge_count, word[0], value});
            edges[b].push_back({a, edge_count, word[0], value});
            ++edge_count;
        };
        for (int row = 0; row < height; ++row) {
            for (int x = 0; x + 1 < width; ++x) join(row * width + x, row * width + x + 1);
            if (row + 1 < height)
                for (int x = 0; x < width; ++x) join(row * width + x, (row + 1) * width + x);
        }
        int length = 0;
        if (in >> length) {
            route.resize(length);
            for (int& vertex : route) in >> vertex;
            in >> goal;
        } else {
            route = {0};
            goal = width * height - 1;
        }
    }
};

struct Search {
    const Puzzle& puzzle;
    std::vector<bool> passed;
    std::vector<int> route, best;
    long best_score = 0;
    unsigned long nodes = 0;

    explicit Search(const Puzzle& puzzle) : puzzle(puzzle), passed(puzzle.edge_count) {}

    static long after(long score, const Edge& edge) {
        return edge.sign == '+' ? score + edge.value : edge.sign == '-' ? score - edge.value : score * edge.value;
    }

    void go(int vertex, long score) {
        ++nodes;
        if (vertex == puzzle.goal && (best.empty() || score > best_score)) {
            best = route;
            best_score = score;
            std::cout << "{\"best\": " << score << "}" << std::endl;
        }
        for (const Edge& edge : puzzle.edges[vertex]) {
            if (passed[edge.index]) continue;
            passed[edge.index] = true;
            route.push_back(edge.to);
            go(edge.to, after(score, edge));
            route.pop_back();
            passed[edge.index] = false;
        }
    }

    void answer() {
        long score = 1;
        route = {puzzle.route[0]};
        for (size_t at = 1; at < puzzle.route.size(); ++at) {
            for (const Edge& edge : puzzle.edges[route.back()])
                if (edge.to == puzzle.route[at]) { passed[edge.index] = true; score = after(score, edge); }
            route.push_back(puzzle.route[at]);
        }
        go(route.back(), score);
        std::cout << "{\"count\": {\"nodes\": " << nodes << "}, \"proven\": true, \"answer\": {\"trail\": ";
        if (best.empty()) std::cout << "null";
        else {
            for (size_t at = 0; at < best.size(); ++at) std::cout << (at ? ", " : "[") << best[at];
            std::cout << "], \"score\": " << best_score;
        }
        std::cout << "}}" << std::endl;
    }
};

// The path in `{"prepare": {"instance": "PATH", …}}`. A path with a quotation mark is not read.
static std::string instance_in(const std::string& line) {
    const std::string key = "\"instance\":\"";
    size_t from = line.find(key) + key.size();
    return line.substr(from, line.find('"', from) - from);
}

int main(int count, char** words) {
    if (count < 2 || std::string(words[1]) != "--lines") {
        Puzzle puzzle(std::cin);
        Search(puzzle).answer();
        return 0;
    }
    std::string line, text;
    while (std::getline(std::cin, line)) {
        if (line.find("\"prepare\"") != std::string::npos) {
            std::ifstream file(instance_in(line));
            std::stringstream whole;
            whole << file.rdbuf();
            text = whole.str();
            std::cout << "{\"ready\": true}" << std::endl;
        } else {
            std::istringstream in(text);
            Puzzle puzzle(in);
            Search(puzzle).answer();
        }
    }
}
